import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AccessTokens } from '../access/access-tokens.ts';
import { Approvals } from '../pipeline/approvals/approval-inbox.ts';
import type { RevealKey } from '../pipeline/approvals/reveal-store.ts';
import { endLostCalls } from '../pipeline/approvals/waiting-calls.ts';
import { Questions, callbackChannel } from '../pipeline/approvals/questions.ts';
import { ActivePolicies, directoriesOf } from '../pipeline/policies/active-policies.ts';
import { ExternalRun, beginCall } from '../pipeline/begin-call.ts';
import { Compensations } from '../pipeline/undo/compensations.ts';
import { createCall } from '../pipeline/call-lifecycle.ts';
import { createContent } from '../pipeline/box-content.ts';
import { Events } from '../pipeline/box-events.ts';
import { FileGuard } from '../pipeline/files/file-guard.ts';
import type { SizeLimits } from '../pipeline/results/result-size.ts';
import { ServerLimiters } from '../pipeline/limits/concurrency-limiter.ts';
import { observedDraft } from '../pipeline/recording/call-entries.ts';
import { pinStorage } from '../pipeline/recording/pin-storage.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import { recordConfiguration, recordServers } from '../pipeline/recording/change-entries.ts';
import { SessionStates } from '../pipeline/handler/session-states.ts';
import { UndoCalls } from '../pipeline/undo/undo-calls.ts';
import { UnsettledCalls } from '../pipeline/recording/unsettled-calls.ts';
import { Waits } from '../pipeline/limits/waits.ts';
import { Catalog } from '../catalog/catalog.ts';
import { Pins } from '../catalog/pins/pins.ts';
import { journalSealer } from '../config/secrets/journal-key.ts';
import { Journal } from '../journal/journal.ts';
import { Recovery } from '../journal/recovery.ts';
import { accountForAuthority } from '../journal/integrity/authority-records.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { Store } from '../journal/store/store.ts';
import { SignalboxError } from '../core/errors.ts';
import { builtinServer } from '../sources/local/builtin/builtin-server.ts';
import type { LocalServer } from '../sources/local/local-server.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { Checkpoints } from '../workspace/checkpoints.ts';
import { BoxJournal } from './box-journal.ts';
import { createServersApi } from './servers-api.ts';
import type { InternalSignalbox } from './internal-signalbox.ts';
import type { Signalbox } from './signalbox.ts';
import type { SignalboxOptions } from './signalbox-options.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
/** A protection against floods, far above the limits of clients: see `docs/decisions/results.md`. */
const defaultMaxResultBytes = 256 * 1024;
/** Model APIs accept pictures of up to 5 MB. */
const defaultMaxMediaBytes = 5 * 1024 * 1024;
const defaultApprovalExpiryMs = 2 * 60 * 60 * 1000;
const defaultStartupWaitMs = 8000;

/** Creates a box: adds the servers, opens the journal, and ends calls that died with an earlier process as `unknown`. */
export function createSignalbox(options: SignalboxOptions = {}): Promise<Signalbox> {
  return openSignalbox(options);
}

/** Creates a box with its internal interface. */
export async function openSignalbox(options: SignalboxOptions = {}): Promise<InternalSignalbox> {
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

async function assemble(options: SignalboxOptions, store: Store): Promise<InternalSignalbox> {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(options.secrets ?? {})) redactor.add(name, value);
  const ownServer = options.builtin === false ? undefined : builtinName(options);
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
    largestResult: options.results?.keepBytes ?? 64 * 1024 * 1024,
  });
  const stopRecordingServers = recordServers(catalog, journal, redactor, ownServer);
  const events = new Events(catalog, journal);
  const recovery = new Recovery(store, journal, (looking) =>
    endLostCalls(approvals.waiting, { store, journal }, looking),
  );
  await recovery.start(isShared);
  const own = options.builtin === false ? undefined : builtin(options, store, catalog, results.maxBytes);
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
    await Promise.all(catalog.sources().map((source) => source.close()));
    await checkpoints.close();
    await unsettled.close();
    await pins.close();
    await journal.drain();
    await store.close();
  }

  const call: Signalbox['call'] = (reference, args, callOptions = {}) => {
    // Not `async`, which would cost two promises per call.
    try {
      if (closing !== undefined) throw new SignalboxError('box-closed', 'this Signalbox is closed; no call was made');
      return pipeline.run(createCall(reference, args, callOptions, redactor));
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
      return await beginCall(run, pipeline.run(createCall(reference, args, callOptions, redactor, run)));
    },
    on: (event, listener) => events.on(event, listener),
    servers: createServersApi({
      catalog,
      pins,
      redactor,
      startupWaitMs: options.startup?.waitMs ?? defaultStartupWaitMs,
      instructions,
    }),
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
      status: (callId) => undoCalls.standing(callId),
    },
    tokens: new AccessTokens(store.tokens, journal, redactor),
    secrets: {
      add: (name, value, secretOptions) => redactor.add(name, value, secretOptions),
      redact: (text) => redactor.values(text),
    },
    async recordObserved(observed) {
      await journal.append(observedDraft(observed, redactor), 'crash');
    },
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

function builtinName({ builtin: given }: SignalboxOptions): string {
  return (given === false ? undefined : given?.name) ?? 'signalbox';
}

function builtin(options: SignalboxOptions, store: Store, catalog: Catalog, maxResultBytes: number): LocalServer {
  const given = options.builtin === false ? undefined : options.builtin;
  const opened = Date.now();
  return builtinServer({
    server: builtinName(options),
    version,
    port: given?.port,
    now: () => new Date(),
    uptimeSeconds: () => (Date.now() - opened) / 1000,
    readResult: (id, offset, limit) => store.readResult(id, offset, limit),
    tools: ({ profile }) => catalog.view(profile).tools,
    // A character takes at most three bytes of UTF-8 here; the rest is room for the note below the page.
    longestPage: Math.max(100, Math.floor(maxResultBytes / 3) - 100),
  });
}
