import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AccessTokens } from '../access/access-tokens.ts';
import { Approvals } from '../pipeline/approvals/approvals.ts';
import type { RevealKey } from '../pipeline/approvals/reveal-store.ts';
import { cancelCallsOfDeadProcesses } from '../pipeline/approvals/waiting-calls.ts';
import { Questions, callbackChannel } from '../pipeline/approvals/questions.ts';
import { ActivePolicies, directoriesOf } from '../pipeline/policies/active-policies.ts';
import { ExternalRun, beginCall } from '../pipeline/begin-call.ts';
import { Compensations } from '../pipeline/undo/compensations.ts';
import { Call } from '../pipeline/call-lifecycle.ts';
import type { HostPolicySource } from '../pipeline/policies/compile-policies.ts';
import { createContent } from '../pipeline/box-content.ts';
import { Events } from '../pipeline/box-events.ts';
import { FileGuard } from '../pipeline/files/file-guard.ts';
import type { SizeLimits } from '../pipeline/results/result-size.ts';
import { ServerLimiters } from '../pipeline/limits/server-limiter.ts';
import { type ObservedCall, observedDraft } from '../pipeline/recording/call-entries.ts';
import { pinStorage } from '../pipeline/recording/pin-storage.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import { recordConfiguration, recordServers } from '../pipeline/recording/change-entries.ts';
import { SessionStates } from '../pipeline/handler/session-states.ts';
import { UndoCalls } from '../pipeline/undo/undo-calls.ts';
import { UnsettledCalls } from '../pipeline/recording/unsettled-calls.ts';
import { Waits } from '../pipeline/limits/waits.ts';
import { Catalog } from '../catalog/catalog.ts';
import type { Source, SourceHealth } from '../catalog/source/source.ts';
import { awaitStartup, requireServers } from '../catalog/startup.ts';
import { callOfResult } from '../core/calls/result-uri.ts';
import { recordedName } from '../journal/entries/recorded-name.ts';
import type { PruneRequest, PruneResult } from '../journal/pruning/prune-journal.ts';
import { JournalReader } from '../journal/queries/journal-reader.ts';
import { type CallSettlement, settleCall } from '../pipeline/recording/settle-call.ts';
import { Pins } from '../catalog/pins/pins.ts';
import { journalSealer } from '../config/secrets/journal-key.ts';
import { Journal } from '../journal/journal.ts';
import { Recovery } from '../journal/recovery.ts';
import { accountForAuthority } from '../journal/integrity/authority-records.ts';
import { type Redactor, createRedactor } from '../redaction/redactor.ts';
import type { ResultPage, Store } from '../journal/store/store.ts';
import { SignalboxError } from '../core/errors.ts';
import { builtinServer } from '../sources/local/builtin/builtin-server.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { Checkpoints } from '../workspace/checkpoints.ts';
import type { InternalSignalbox } from './internal-signalbox.ts';
import type { JournalApi, Signalbox } from './signalbox.ts';
import type { SignalboxOptions } from './signalbox-options.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
/** Protects against oversized results, far above the limits of clients: see `docs/decisions/results.md`. */
const defaultMaxResultBytes = 256 * 1024;
/** Model APIs accept pictures of up to 5 MB. */
const defaultMaxMediaBytes = 5 * 1024 * 1024;
const defaultApprovalExpiryMs = 2 * 60 * 60 * 1000;
const defaultStartupWaitMs = 8000;

/** Creates a box: adds the servers, opens the journal, and records `unknown` for calls that an earlier process did not finish. */
export function createSignalbox(options: SignalboxOptions = {}): Promise<Signalbox> {
  return openSignalbox(options);
}

/** The options of `openSignalbox`. */
export interface OpenSignalboxOptions extends Omit<SignalboxOptions, 'policies'> {
  readonly policies?: readonly HostPolicySource[];
}

/** Creates a box with its internal interface. */
export async function openSignalbox(options: OpenSignalboxOptions = {}): Promise<InternalSignalbox> {
  const store =
    options.store ??
    sqliteStore(
      options.data === undefined
        ? {}
        : {
            file: join(options.data, 'signalbox.db'),
            sealer: await journalSealer(options.data, 'sqlite', options.journalKey),
          },
    );
  try {
    return await assemble(options, store);
  } catch (error) {
    await Promise.allSettled([store.close(), ...(options.servers ?? []).map((server) => server.close())]);
    throw error;
  }
}

async function assemble(options: OpenSignalboxOptions, store: Store): Promise<InternalSignalbox> {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(options.secrets ?? {})) redactor.add(name, value);
  const builtin =
    options.builtin === false ? undefined : { name: options.builtin?.name ?? 'signalbox', port: options.builtin?.port };
  const ownServer = builtin?.name;
  await accountForAuthority(store);
  const pins = await Pins.open(pinStorage(store, options.pinScope));
  const catalog = new Catalog(ownServer, pins);
  if (options.profiles !== undefined) catalog.setProfiles(options.profiles);
  const journal = new Journal(store);
  const waits = new Waits();
  const limiters = new ServerLimiters(options.concurrency ?? 64);
  const reader = new BoxJournal(store, journal, redactor);
  const policies = new ActivePolicies(store, journal, ownServer);
  await policies.set(options.policies ?? []);
  const results: SizeLimits = {
    maxBytes: options.results?.maxBytes ?? defaultMaxResultBytes,
    maxMediaBytes: options.results?.maxMediaBytes ?? defaultMaxMediaBytes,
  };
  const files = new FileGuard(options.data);
  const revealKey: RevealKey =
    options.data === undefined || store.pubSub.isCrossProcess
      ? { in: 'store' }
      : { in: 'directory', data: options.data };
  const approvals = new Approvals(store, journal, redactor, catalog, revealKey);
  if (options.approve !== undefined) approvals.attach(callbackChannel('callback', options.approve));
  const isShared = options.data !== undefined || options.store !== undefined;
  const questions = new Questions({
    store,
    journal,
    redactor,
    waits,
    approvals,
    expireAfterMs: options.approvals?.expireAfterMs ?? defaultApprovalExpiryMs,
    shared: isShared,
  });
  const states = new SessionStates();
  const timeoutMs = options.timeoutMs ?? 60_000;
  const checkpoints = new Checkpoints(options.data, options.undo);
  const compensations = new Compensations({ catalog, journal, redactor, states, waits, timeoutMs });
  const undoCalls = new UndoCalls(reader, checkpoints, compensations);
  const unsettled = new UnsettledCalls(store, journal);
  let closing: Promise<void> | undefined;
  const { instructions, ...content } = createContent({
    catalog,
    redactor,
    call: (name, args, how) => call(name, args, how),
  });
  const pipeline = createPipeline({
    catalog,
    store,
    journal,
    redactor,
    waits,
    policies,
    files,
    unsettled,
    states,
    content,
    checkpoints,
    compensations,
    version,
    metrics: options.metrics,
    approvals,
    questions,
    traceContent: options.traceContent ?? false,
    isRecording: options.record ?? true,
    timeoutMs,
    limiters,
    results,
    builtin: ownServer,
    maxStoredBytes: options.results?.keepBytes ?? 64 * 1024 * 1024,
  });
  const stopRecordingServers = recordServers(catalog, journal, redactor, ownServer);
  const events = new Events(catalog, journal);
  const recovery = new Recovery(store, journal, (how) =>
    cancelCallsOfDeadProcesses(approvals.waiting, { store, journal }, how),
  );
  await recovery.start(isShared);
  const openedAt = Date.now();
  const own =
    builtin &&
    builtinServer({
      server: builtin.name,
      version,
      port: builtin.port,
      now: () => new Date(),
      uptimeSeconds: () => (Date.now() - openedAt) / 1000,
      readResult: (id, offset, limit) => store.readResult(id, offset, limit),
      tools: ({ profile }) => catalog.view(profile).tools,
      // A character takes at most three bytes of UTF-8 here; the rest is room for the note below the page.
      longestPage: Math.max(100, Math.floor(results.maxBytes / 3) - 100),
    });
  if (own !== undefined) catalog.mount(own);
  for (const server of options.servers ?? []) catalog.mount(server);

  async function close(graceMs: number): Promise<void> {
    recovery.stop();
    const grace = setTimeout(() => waits.endAll(), graceMs);
    await pipeline.idle();
    clearTimeout(grace);
    questions.close();
    // Servers that close together with the box are not worth an event.
    stopRecordingServers();
    const closed = await Promise.allSettled(catalog.sources().map(async (source) => source.close()));
    await checkpoints.close();
    await unsettled.close();
    await pins.close();
    await journal.drain();
    await store.close();
    const failed = closed.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  const call: Signalbox['call'] = (reference, args, callOptions = {}) => {
    // Not `async`, which would cost two promises per call.
    try {
      if (closing !== undefined) throw new SignalboxError('box-closed', 'this Signalbox is closed; no call was made');
      return pipeline.run(new Call(reference, args, callOptions, redactor));
    } catch (error) {
      return Promise.reject(error);
    }
  };

  return {
    ...content,
    version,
    tools: (view) => catalog.listing(view?.profile),
    catalog: (view) => catalog.view(view?.profile),
    call,
    async begin(reference, args, { workspace, ...callOptions } = {}) {
      if (closing !== undefined) throw new SignalboxError('box-closed', 'this Signalbox is closed; no call was made');
      const run = new ExternalRun(workspace);
      return await beginCall(run, pipeline.run(new Call(reference, args, callOptions, redactor, run)));
    },
    on: (event, listener) => events.on(event, listener),
    servers: {
      add: (server) => catalog.mount(server),
      remove: (server) => catalog.unmount(server).close(),
      replace: (server) => catalog.replace(server),
      restart: async (server) => restartServer(catalog.source(server)),
      enable: (server) => catalog.enable(server),
      disable: (server) => catalog.disable(server),
      health: (server) => redactHealth(catalog.source(server).health?.(), redactor),
      ready: (how) => requireServers(catalog, how),
      started: async (how) =>
        awaitStartup(catalog, { ...how, waitMs: options.startup?.waitMs ?? defaultStartupWaitMs }),
      instructions,
      accept: (server) => pins.accept(server),
    },
    policies: {
      set: (sources, how) => policies.set(sources, how),
      list: () => policies.summary(),
      async backtest(rules, span) {
        const { backtest } = await import('../pipeline/policies/run-backtest.ts');
        return backtest(reader, rules, span, (server) =>
          directoriesOf(catalog.sources().find((source) => source.server === server)?.limits),
        );
      },
    },
    profiles: {
      set: (profiles) => catalog.setProfiles(profiles),
      list: () =>
        catalog.profiles().map((profile) => ({
          name: profile.name,
          settings: profile.settings,
          unmatched: profile.unmatched(catalog.snapshot),
        })),
    },
    approvals,
    journal: reader,
    undo: {
      call: (callId, undoOptions) => undoCalls.undo(callId, undoOptions),
      session: (session, undoOptions) => undoCalls.undoSession(session, undoOptions),
      status: (callId) => undoCalls.status(callId),
    },
    tokens: new AccessTokens(store.tokens, journal, redactor),
    secrets: {
      add: (name, value, secretOptions) => redactor.add(name, value, secretOptions),
      redact: (text) => redactor.values(text),
    },
    endApprovalWaits: () => questions.endWaits(),
    protectFiles: (protection) => files.protect(protection),
    sessionStore: store.sessions,
    jobStore: store.jobs,
    pins,
    shared: { keyValues: store.keyValues, pubSub: store.pubSub },
    builtin: own,
    endSession: (session) => states.end(session),
    redactJson: (text) => redactor.json(text),
    secretTail: (text) => redactor.partialMatchLength(text),
    recordConfiguration: (change) => recordConfiguration(change, journal, redactor),
    close: ({ graceMs = 5000 } = {}) => (closing ??= close(graceMs)),
  };
}

async function restartServer(source: Source): Promise<void> {
  const { server, adapter } = source;
  if (source.restart !== undefined) return await source.restart();
  if (!adapter.startsWith('local:'))
    throw new SignalboxError('server-down', `server "${server}" is not started; enable it first`);
  const reason = `server "${server}" runs inside Signalbox, so there is no process or connection to restart`;
  throw new SignalboxError('server-local', `${reason}; restart Signalbox to load its code again`);
}

function redactHealth(health: SourceHealth | undefined, redactor: Redactor): SourceHealth | undefined {
  if (health === undefined) return undefined;
  const { lastError, stderr } = health;
  return {
    ...health,
    ...(lastError === undefined ? {} : { lastError: redactor.text(lastError) }),
    stderr: stderr.map((line) => redactor.text(line)),
  };
}

/** The journal of an open box: reads it, prunes it, and settles calls whose outcome is unknown. */
class BoxJournal extends JournalReader implements JournalApi {
  readonly #parts: { readonly store: Store; readonly journal: Journal; readonly redactor: Redactor };

  constructor(store: Store, journal: Journal, redactor: Redactor) {
    super(store, journal, (name) => recordedName(redactor, name));
    this.#parts = { store, journal, redactor };
  }

  async prune(request: PruneRequest): Promise<PruneResult> {
    const { pruneJournal } = await import('../journal/pruning/prune-journal.ts');
    return await pruneJournal(this.#parts.store, request);
  }

  async settle(call: string, how: CallSettlement): Promise<void> {
    await settleCall(this.#parts, call, how);
  }

  async record(call: ObservedCall): Promise<void> {
    const { journal, redactor } = this.#parts;
    await journal.append(observedDraft(call, redactor), 'crash');
  }

  async result(uri: string, { offset = 0, limit = 8000 } = {}): Promise<ResultPage> {
    const page = await this.#parts.store.readResult(callOfResult(uri), offset, limit);
    if (page === undefined) throw new SignalboxError('result-unknown', `no stored result ${uri}`);
    return page;
  }
}
