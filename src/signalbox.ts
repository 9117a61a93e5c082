import { createRequire } from 'node:module';
import { join } from 'node:path';
import { AccessTokens } from './access/access-tokens.ts';
import { type ApprovalInbox, Approvals } from './pipeline/approvals/approval-inbox.ts';
import type { RevealKey } from './pipeline/approvals/reveal-store.ts';
import { endLostCalls } from './pipeline/approvals/waiting-calls.ts';
import { Questions, callbackChannel } from './pipeline/approvals/questions.ts';
import { type PolicySummary, ActivePolicies, directoryOf } from './pipeline/policies/active-policies.ts';
import { type BeginOptions, type BeginResult, ExternalRun, beginCall } from './pipeline/begin-call.ts';
import { Compensations } from './pipeline/undo/compensations.ts';
import { type Call, toCallResult, createCall } from './pipeline/call-lifecycle.ts';
import { type BoxContent, createContent } from './pipeline/box-content.ts';
import { Events, type SignalboxEvents } from './pipeline/box-events.ts';
import { FileGuard, type FileProtection } from './pipeline/files/file-guard.ts';
import type { SizeLimits } from './pipeline/results/result-size.ts';
import { Limiters } from './pipeline/limits/concurrency-limiter.ts';
import type { CallMetrics } from './pipeline/recording/telemetry.ts';
import { type ObservedCall, observedDraft } from './pipeline/recording/call-entries.ts';
import { pinStorage } from './pipeline/recording/pin-storage.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { recordConfiguration, recordServers } from './pipeline/recording/change-entries.ts';
import type { PolicySource, RuleSource } from './pipeline/policies/compile-policies.ts';
import { awaitStartup, requireServers } from './catalog/startup.ts';
import { type Settling, settleCall } from './pipeline/recording/settle-call.ts';
import { SessionStates } from './pipeline/handler/session-states.ts';
import { UndoCalls, type UndoOptions, type UndoResult, type UndoStanding } from './pipeline/undo/undo-calls.ts';
import { UnsettledCalls } from './pipeline/recording/unsettled-calls.ts';
import { Waits } from './pipeline/limits/waits.ts';
import { Catalog } from './catalog/catalog.ts';
import { Pins } from './catalog/pins/pins.ts';
import type { ProfilesByName } from './catalog/profile.ts';
import type { CatalogSnapshot } from './catalog/snapshot.ts';
import type { Source, SourceHealth } from './catalog/source/source.ts';
import type { ResultLimits } from './catalog/source/source-limits.ts';
import type { ConfigurationChange } from './journal/entries/journal-event.ts';
import type { JobStore } from './journal/store/job-store.ts';
import { journalSealer } from './config/secrets/journal-key.ts';
import { Journal } from './journal/journal.ts';
import type { PruneRequest, Pruned } from './journal/pruning/prune-journal.ts';
import { JournalReader } from './journal/queries/journal-reader.ts';
import { recordedName } from './journal/entries/recorded-name.ts';
import { Recovery } from './journal/recovery.ts';
import { accountForAuthority } from './journal/integrity/authority-records.ts';
import { type Redactor, type SecretOptions, createRedactor } from './redaction/redactor.ts';
import type { SessionStore } from './journal/store/session-store.ts';
import type { ResultPage, Store } from './journal/store/store.ts';
import type { Approve } from './core/calls/approval.ts';
import type { CallOptions, CallResult, ToolReference } from './core/calls/call.ts';
import type { CallOutcome } from './core/calls/call-outcome.ts';
import { SignalboxError } from './core/errors.ts';
import { callOfResult } from './core/calls/result-uri.ts';
import type { AbortSignalLike } from './core/async/light-abort-signal.ts';
import type { ToolDefinition } from './core/tools/tool.ts';
import type { Backtest } from './policy/backtest.ts';
import { builtinServer } from './sources/local/builtin/builtin-server.ts';
import type { LocalServer } from './sources/local/local-server.ts';
import { sqliteStore } from './store/sqlite/sqlite-store.ts';
import { type CheckpointOptions, Checkpoints } from './workspace/checkpoints.ts';

/** What a box is made of. Everything has a default. */
export interface SignalboxOptions {
  /** The servers to mount, for instance made by `localServer`. */
  readonly servers?: readonly Source[];
  /** The directory the journal is kept in, as `signalbox.db`. Without it the journal lives in memory and is gone with the process. */
  readonly data?: string;
  /** Where records are kept instead, for instance a `postgresStore`; `data` then keeps what is of this machine alone. The box closes it. */
  readonly store?: Store;
  /**
   * Asks a human about a call that policy wants asked. Others may answer too, through `approvals` or `signalbox approve`: the
   * first answer wins. With nobody to ask, no `data` and no `store`, such calls are denied.
   */
  readonly approve?: Approve;
  /** Rules and code that decide calls: `deny` beats `ask` beats `allow`. Without any, reads run and everything else asks. */
  readonly policies?: readonly PolicySource[];
  /** Named views of the catalog, for clients that should not see all of it. */
  readonly profiles?: ProfilesByName;
  /** How long a question waits for its answer, and an answer for its call (2 h). */
  readonly approvals?: { readonly expireAfterMs?: number };
  /**
   * Separates pinned definitions: servers of the same name in another scope are other servers. For hosts that open several boxes on the
   * same data.
   */
  readonly pinScope?: string;
  /** Values that must never be recorded, by a name that stands in their place. */
  readonly secrets?: Readonly<Record<string, string>>;
  /**
   * Results larger than `maxBytes` (256 KB), or with a picture, sound or file larger than `maxMediaBytes` (5 MB), are stored whole
   * and returned shortened; `keepBytes` is the largest size that is stored (64 MB). Servers and tools may have limits of their own.
   */
  readonly results?: ResultLimits & { readonly keepBytes?: number };
  /** How much is kept so that calls can be undone, and for how long. */
  readonly undo?: CheckpointOptions;
  /** How long a tool may run where neither it nor its server says (60 s). */
  readonly timeoutMs?: number;
  /** How many calls a server gets at a time where it does not say (64). */
  readonly concurrency?: number;
  /** How long `tools/list` waits for starting servers, counted from their start (8 s). */
  readonly startup?: { readonly waitMs?: number };
  /** Counts and times calls. */
  readonly metrics?: CallMetrics;
  /** Also puts arguments and results on OpenTelemetry spans, redacted. */
  readonly traceContent?: boolean;
  /** Keeps whole what the calls of a session came to, for `replay` (as it is unless this says `false`). */
  readonly record?: boolean;
  /** The built-in server: its name (`signalbox`), and the port the host listens on; `false` leaves it out. */
  readonly builtin?: false | { readonly name?: string; readonly port?: number };
}

/** Whose view of the catalog is asked for; all of it when nobody's. */
export interface ViewOptions {
  readonly profile?: string;
}

/** A profile in force. */
export interface ProfileSummary {
  readonly name: string;
  readonly settings: ProfilesByName[string];
  readonly unmatched: readonly string[];
}

/** The one place that tool calls pass through. */
export interface Signalbox extends BoxContent {
  readonly version: string;
  /** The tools that can be called now, by a client of this profile if one is named. */
  tools(view?: ViewOptions): readonly ToolDefinition[];
  /** The tools, and why others cannot be called. */
  catalog(view?: ViewOptions): CatalogSnapshot;
  /** Puts other profiles in the place of those there are. */
  setProfiles(profiles: ProfilesByName): void;
  /** The profiles there are, and the patterns of each that fit no tool now. */
  profiles(): readonly ProfileSummary[];
  /** Calls a tool. Never rejects for what a tool does: every call has an outcome. Rejects only when the box is closed. */
  call(tool: ToolReference, args?: unknown, options?: CallOptions): Promise<CallResult>;
  /**
   * Begins a call that the host runs itself, such as a built-in tool of an agent: decided, approved, checkpointed and recorded like any
   * other. The tool's source marks it `isExternal`.
   * @internal Host only.
   */
  begin(tool: ToolReference, args: unknown, options?: BeginOptions): Promise<BeginResult>;
  /** Listens to an event; returns how to stop. */
  on<Name extends keyof SignalboxEvents>(event: Name, listener: (event: SignalboxEvents[Name]) => void): () => void;
  mount(server: Source): void;
  /** Takes a server out and closes it. */
  unmount(server: string): Promise<void>;
  /** Puts a server in the place of the one of the same name, and gives that back: its calls under way go on until you close it. */
  replace(server: Source): Source;
  /** Connects a server anew. Rejects for servers that are in this process. */
  restart(server: string): Promise<void>;
  /** How a server outside this process is doing; `undefined` for those that are in it. */
  health(server: string): SourceHealth | undefined;
  /**
   * Waits until every server, or those of a profile, has ended its first start, successfully or not, for at most `startup.waitMs` after it
   * began. Returns `undefined` when none is starting.
   */
  awaitStartup(options?: ViewOptions & { readonly signal?: AbortSignalLike }): Promise<void> | undefined;
  /** Waits until every required server is up; rejects with `server-required` when one is not after `waitMs` (5 s). */
  requireServers(options?: { readonly waitMs?: number; readonly signal?: AbortSignal }): Promise<void>;
  enable(server: string): void;
  disable(server: string): void;
  /** Puts other policies in force, all or none. Rejects with a `PolicyError` that tells everything that is wrong with them. */
  setPolicies(policies: readonly PolicySource[], options?: { readonly keepCode?: boolean }): Promise<void>;
  /** Tells which recorded calls other rules would have decided otherwise. */
  backtest(
    rules: readonly RuleSource[],
    options?: { readonly since?: number; readonly signal?: AbortSignal },
  ): Promise<Backtest>;
  /** Replaces the files that a call does not write unasked. Configurations of Signalbox are protected whatever this says. */
  protectFiles(protection: FileProtection): void;
  /** The policies in force. */
  policies(): PolicySummary;
  readonly journal: JournalReader;
  /** Writes old entries to a file, and drops them from the front of the journal. */
  prune(request: PruneRequest): Promise<Pruned>;
  /** Takes back what a call changed. Where something was changed since, nothing is touched and the conflicts are told. */
  undo(callId: string, options?: UndoOptions): Promise<UndoResult>;
  /** Whether a call can be taken back, as far as that is known without trying. */
  undoStanding(callId: string): Promise<UndoStanding>;
  /** Takes back the calls of a session, the last one first, until one cannot be. */
  undoSession(session: string, options?: UndoOptions): Promise<UndoResult[]>;
  /** Records a call that went past this box. It leaves the same entry as any other, without a decision. */
  recordObserved(call: ObservedCall): Promise<void>;
  /** What waits for a human, and how humans answer. */
  readonly approvals: ApprovalInbox;
  /** The tokens that let programs in where this box is served. */
  readonly tokens: Pick<AccessTokens, 'create' | 'list' | 'find' | 'revoke' | 'revocations' | 'check' | 'isActive'>;
  /** Records how a call ended whose outcome was unknown. Only humans can, and only once. */
  settle(call: string, how: Settling): Promise<void>;
  /** Reads a page of a result that was too large to be handed out whole. */
  readResult(uri: string, page?: { readonly offset?: number; readonly limit?: number }): Promise<ResultPage>;
  /** Where sessions are kept: for `createSessions`. */
  readonly sessionStore: SessionStore;
  /** The definitions of external servers as they were first seen, or accepted since; `pins.accept(server)` accepts what it says now. */
  readonly pins: Pins;
  /** Small things that all processes of the store know, and what they tell each other: for whatever serves this box. */
  readonly shared: Pick<Store, 'keyValues' | 'pubSub'>;
  /** Where schedules are kept: for `Schedules`. */
  readonly jobStore: JobStore;
  /** The built-in server, for a host that adds tools which need more than the box; absent where it was left out. */
  readonly builtin: LocalServer | undefined;
  /** Forgets what servers remember about a session (`context.state`). */
  endSession(session: string): void;
  /** Takes values that must never be recorded out of a text, or out of JSON text, which stays valid. */
  redact(text: string): string;
  /** Redacts JSON text as the journal does: registered values and text that looks like a secret. It stays valid JSON. */
  redactJson(text: string): string;
  /** How many characters at the end of a text may be the beginning of such a value, in text that comes piece by piece. */
  secretTail(text: string): number;
  /** Registers a value that must never be recorded. */
  addSecret(name: string, value: string, options?: SecretOptions): void;
  /** Records that the configuration behind this box was changed, or could not be. */
  recordConfiguration(change: ConfigurationChange): void;
  /** Lets calls under way end (for `graceMs`, 5 s), cancels the rest, closes servers and journal. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };
/** A limit against floods, far above the limits of clients: see `docs/decisions/results.md`. */
const defaultMaxResultBytes = 256 * 1024;
/** Model APIs accept pictures of up to 5 MB. */
const defaultMaxMediaBytes = 5 * 1024 * 1024;
const usualExpiry = 2 * 60 * 60 * 1000;
const defaultStartupWaitMs = 8000;

/** Opens a box: mounts the servers, opens the journal, and gives calls that died with an earlier process their `unknown`. */
export async function createSignalbox(options: SignalboxOptions = {}): Promise<Signalbox> {
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

async function assemble(options: SignalboxOptions, store: Store): Promise<Signalbox> {
  const redactor = createRedactor();
  for (const [name, value] of Object.entries(options.secrets ?? {})) redactor.add(name, value);
  const ownServer = options.builtin === false ? undefined : builtinName(options);
  await accountForAuthority(store);
  const pins = await Pins.open(pinStorage(store, options.pinScope));
  const catalog = new Catalog(ownServer, pins);
  if (options.profiles !== undefined) catalog.setProfiles(options.profiles);
  const journal = new Journal(store);
  const waits = new Waits();
  const limiters = new Limiters(options.concurrency ?? 64);
  const reader = new JournalReader(store, journal, (name) => recordedName(redactor, name));
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
    expireAfterMs: options.approvals?.expireAfterMs ?? usualExpiry,
    shared: isShared,
  });
  const states = new SessionStates();
  const timeoutMs = options.timeoutMs ?? 60_000;
  const checkpoints = new Checkpoints(options.data, options.undo);
  const compensations = new Compensations({ catalog, journal, redactor, states, waits, timeoutMs });
  const undoCalls = new UndoCalls(reader, checkpoints, compensations);
  const unsettled = new UnsettledCalls(store, journal);
  let closing: Promise<void> | undefined;
  const content = createContent({ catalog, redactor, call: (name, args, how) => call(name, args, how) });
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
    // That they go with the box is no news.
    stopRecordingServers();
    await Promise.all(catalog.sources().map((source) => source.close()));
    await checkpoints.close();
    await unsettled.close();
    await pins.close();
    await journal.drain();
    await store.close();
  }

  const call: Signalbox['call'] = (reference, args, callOptions = {}) => {
    // Without `async`, which costs every call two promises.
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
    setProfiles: (profiles) => catalog.setProfiles(profiles),
    profiles: () =>
      catalog.profiles().map((profile) => ({
        name: profile.name,
        settings: profile.settings,
        unmatched: profile.unmatched(catalog.snapshot),
      })),
    call,
    async begin(reference, args, { workspace, ...callOptions } = {}) {
      if (closing !== undefined) throw new SignalboxError('box-closed', 'this Signalbox is closed; no call was made');
      const run = new ExternalRun(workspace);
      return await beginCall(run, pipeline.run(createCall(reference, args, callOptions, redactor, run)));
    },
    on: (event, listener) => events.on(event, listener),
    mount: (server) => catalog.mount(server),
    unmount: (server) => catalog.unmount(server).close(),
    replace: (server) => catalog.replace(server),
    async restart(server) {
      const source = catalog.source(server);
      if (source.restart !== undefined) return await source.restart();
      if (!source.adapter.startsWith('local:'))
        throw new SignalboxError('server-down', `server "${server}" is not started; enable it first`);
      const what = `server "${server}" runs inside Signalbox, so there is no process or connection to restart`;
      throw new SignalboxError('server-local', `${what}; restart Signalbox to load its code again`);
    },
    health(server) {
      const health = catalog.source(server).health?.();
      return health === undefined ? undefined : withoutSecrets(health, redactor);
    },
    awaitStartup: (view) => awaitStartup(catalog, { ...view, waitMs: options.startup?.waitMs ?? defaultStartupWaitMs }),
    requireServers: (requireOptions) => requireServers(catalog, requireOptions),
    enable: (server) => catalog.enable(server),
    disable: (server) => catalog.disable(server),
    setPolicies: (sources, how) => policies.set(sources, how),
    async backtest(rules, span) {
      const { backtest } = await import('./pipeline/policies/run-backtest.ts');
      return backtest(reader, rules, span, (server) =>
        directoryOf(catalog.sources().find((source) => source.server === server)?.limits.workspace),
      );
    },
    protectFiles: (protection) => files.protect(protection),
    policies: () => policies.summary(),
    journal: reader,
    prune: async (request) => await (await import('./journal/pruning/prune-journal.ts')).pruneJournal(store, request),
    undo: (callId, undoOptions) => undoCalls.undo(callId, undoOptions),
    undoStanding: (callId) => undoCalls.standing(callId),
    undoSession: (session, undoOptions) => undoCalls.undoSession(session, undoOptions),
    async recordObserved(observed) {
      await journal.append(observedDraft(observed, redactor), 'crash');
    },
    approvals,
    tokens: new AccessTokens(store.tokens, journal, redactor),
    settle: (callId, how) => settleCall({ store, journal, redactor }, callId, how),
    async readResult(uri, { offset = 0, limit = 8000 } = {}) {
      const page = await store.readResult(callOfResult(uri), offset, limit);
      if (page === undefined) throw new SignalboxError('result-unknown', `no result is kept as ${uri}`);
      return page;
    },
    sessionStore: store.sessions,
    jobStore: store.jobs,
    pins,
    shared: { keyValues: store.keyValues, pubSub: store.pubSub },
    builtin: own,
    endSession: (session) => states.end(session),
    redact: (text) => redactor.values(text),
    redactJson: (text) => redactor.json(text),
    secretTail: (text) => redactor.partialMatchLength(text),
    addSecret: (name, value, given) => redactor.add(name, value, given),
    recordConfiguration: (change) => recordConfiguration(change, journal, redactor),
    close: ({ graceMs = 5000 } = {}) => (closing ??= close(graceMs)),
  };
}

function withoutSecrets(health: SourceHealth, redactor: Redactor): SourceHealth {
  const { lastError, stderr } = health;
  return {
    ...health,
    ...(lastError === undefined ? {} : { lastError: redactor.text(lastError) }),
    stderr: stderr.map((line) => redactor.text(line)),
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
