import { type StoredEntry, countedIn, toEvent } from '../../journal/entries/stored-entry.ts';
import type { Undone, ToolInvoked, CallStarted } from '../../journal/entries/journal-event.ts';
import type { EntryQuery, Store } from '../../journal/store/store.ts';
import { KeyedSlotMap } from '../../core/async/slot-map.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { CallEvent } from '../../policy/facts/call-event.ts';
import type { StartedCall, Facts } from '../../policy/facts/facts.ts';
import type { ToolPolicy } from '../../policy/code-policy.ts';
import { fingerprintsOf } from '../../policy/facts/fingerprints.ts';
import type { DecisionFacts, Policy } from '../../policy/policy.ts';
import { RecentSet } from '../../policy/facts/recent-set.ts';
import { endedCall, namingIn } from './recorded-calls.ts';
import { FingerprintCipher, StoredFingerprints } from './stored-fingerprints.ts';

/** The active rules and policies in code, with the facts that they use. */
export interface PolicySet {
  readonly policy: Policy;
  readonly code: readonly ToolPolicy[];
  readonly facts: SessionFacts;
}

/** The session and the principal that a call counts for. */
export interface FactsOwner {
  readonly session: string;
  readonly principal: string;
}

interface FactsPage {
  readonly facts: Facts;
  /** The journal entries that it is loaded from, if any. */
  readonly recorded: Recorded | undefined;
  /** The position in the journal up to which the entries of all processes are included. */
  upTo: number;
  /** The number of entries of other processes that were applied since it was loaded. */
  foreignEntries: number;
  /** The running read of entries of other processes, and the one that follows for calls that asked meanwhile. */
  catchingUp: Promise<void> | undefined;
  nextCatchUp: Promise<void> | undefined;
  /** Calls that ended while the journal is being read. */
  buffered: CallEvent[] | undefined;
  loading: Promise<void> | undefined;
  activeCalls: number;
  /** Stored fingerprints of outputs, for a principal when rules recognize outputs. */
  readonly fingerprints: StoredFingerprints | undefined;
}

/** The facts that the decision about a call uses. */
export interface CallFacts {
  readonly owner: FactsOwner;
  readonly tool: ToolDefinition;
  /** The page of the session, and that of the principal when a rule needs it. */
  readonly pages: readonly FactsPage[];
  readonly past: DecisionFacts;
}

interface ActiveCall {
  readonly callFacts: CallFacts;
  readonly call: StartedCall;
  /** Fingerprints of the whole output, when rules recognize it. */
  prints?: Float64Array;
  /** The end of the call, when it is known without reading the entry. */
  ended?: KnownEnding;
  /** The `foreignEntries` of each page when the call was decided. */
  readonly foreignEntries: readonly number[];
}

/** The facts of an ended call that the columns of its entry do not hold. */
export type KnownEnding = Omit<CallEvent, 'seq' | 'at' | 'call' | 'tool'>;

type Kind = 'session' | 'alone' | 'principal';
type Pages = Map<string, FactsPage>;

/** The maximum number of pages of each kind. */
const maxPages = 1000;
const maxEntries = 20_000;
const pageSize = 1000;
const noForeignEntries: readonly number[] = [];
const recognizedForMs = 24 * 60 * 60 * 1000;

/**
 * A cache of the facts about recent sessions and principals. A page is loaded from the journal on first use, updated with every outcome
 * that is recorded after that, and evicted when it is least recently used.
 */
export class SessionFacts {
  readonly #policy: Policy;
  readonly #store: Store;
  /** Pages by session, by principal for calls without a session, and by principal. */
  readonly #pages = {
    session: new Map<string, FactsPage>(),
    alone: new Map<string, FactsPage>(),
    principal: new Map<string, FactsPage>(),
  };
  readonly #begun = new KeyedSlotMap<string, ActiveCall>();
  /** The latest calls that were undone since this process started. */
  readonly #undone = new RecentSet<string>(pageSize);
  readonly #cipher: FingerprintCipher | undefined;
  /** A placeholder for facts that no rule needs. */
  readonly #noFacts: Facts;

  /** Calls that are running in `previous` count here too. */
  constructor(policy: Policy, store: Store, previous: SessionFacts | undefined) {
    this.#policy = policy;
    this.#store = store;
    this.#cipher = policy.tracksValues ? FingerprintCipher.of(store) : undefined;
    this.#noFacts = policy.principalFacts();
    if (previous === undefined) return;
    for (const { callFacts, call } of previous.#begun.values())
      this.begin(this.open(callFacts.owner, callFacts.tool), call);
  }

  /** Whether other processes serve the same callers. */
  get isShared(): boolean {
    return this.#store.isShared;
  }

  /** Returns the facts for a call: of its session, and of its principal when a rule needs them for the tool. */
  open(owner: FactsOwner, tool: ToolDefinition): CallFacts {
    const { session, principal } = owner;
    const own = session === '' ? this.#page('alone', principal, owner) : this.#page('session', session, owner);
    if (!this.#policy.needsPrincipalFacts(tool))
      return { owner, tool, pages: [own], past: { session: own.facts, principal: this.#noFacts } };
    const other = this.#page('principal', principal, owner);
    return { owner, tool, pages: [own, other], past: { session: own.facts, principal: other.facts } };
  }

  /**
   * Returns the facts once they are complete: a promise only when the journal must be read first. `mustBeCurrent`: also reads the entries that
   * other processes have written since, which is necessary when the decision depends on past calls.
   */
  pastOf({ pages, past }: CallFacts, mustBeCurrent: boolean): DecisionFacts | Promise<DecisionFacts> {
    if (pages.every(isLoaded) && (!mustBeCurrent || this.#areCurrent(pages))) return past;
    const waited = mustBeCurrent
      ? pages.map((page) => this.#catchUp(page))
      : pages.flatMap(({ loading }) => loading ?? []);
    return Promise.all(waited).then(() => past);
  }

  /** Returns whether pages include all entries of all processes. */
  #areCurrent(pages: readonly FactsPage[]): boolean {
    return (
      pages.every(({ catchingUp, nextCatchUp }) => catchingUp === undefined && nextCatchUp === undefined) &&
      this.#areOwn(pages)
    );
  }

  /** Returns whether only this process has written since pages were read. */
  #areOwn(pages: readonly FactsPage[]): boolean {
    const newest = this.#store.ownSince(Math.min(...pages.map(({ upTo }) => upTo)));
    if (newest !== undefined) for (const page of pages) page.upTo = newest;
    return newest !== undefined;
  }

  /**
   * Checks a call again once its intent has its position in the journal: with the calls of all processes before it, and without those
   * after it, which count this one. When several processes decide concurrently, exactly as many calls run as the limits allow.
   */
  async recount<Found>(
    id: string,
    seq: number,
    check: (past: DecisionFacts) => Found | undefined,
  ): Promise<Found | undefined> {
    const begun = this.#begun.get(id);
    if (begun === undefined) return undefined;
    const { pages, past } = begun.callFacts;
    for (const { facts } of pages) facts.setSeq(id, seq);
    await this.pastOf(begun.callFacts, true);
    if (pages.every(({ foreignEntries }, index) => foreignEntries === begun.foreignEntries[index])) return undefined;
    return past.session.readBefore(seq, () => past.principal.readBefore(seq, () => check(past)));
  }

  /** Starts counting an admitted call. */
  begin(callFacts: CallFacts, call: StartedCall): void {
    this.#begun.set(call.id, {
      callFacts,
      call,
      foreignEntries: this.isShared ? callFacts.pages.map(({ foreignEntries }) => foreignEntries) : noForeignEntries,
    });
    for (const page of callFacts.pages) {
      page.activeCalls += 1;
      page.facts.begin(call);
    }
  }

  /** Processes the whole output of a call. Stores its fingerprints when the journal will not contain it in full; only then returns a promise. */
  recordOutput(
    call: string,
    labels: readonly string[],
    output: string,
    isRecorded: boolean,
  ): Promise<void> | undefined {
    const begun = this.#begun.get(call);
    if (begun === undefined) return undefined;
    begun.prints = fingerprintsOf(output);
    const outputs = begun.callFacts.pages.find((page) => page.fingerprints !== undefined)?.fingerprints;
    if (isRecorded || outputs === undefined) return undefined;
    return outputs.put(this.#policy.trackedLabels(labels), call, begun.prints, Date.now() + this.#principalSpan);
  }

  /** Stores the end of a call whose entry is about to be written, so that the entry need not be parsed. */
  expectEnding(call: string, ending: KnownEnding): void {
    const begun = this.#begun.get(call);
    if (begun !== undefined) begun.ended = ending;
  }

  /** Stops counting a call that did not run, or whose end will not be recorded. */
  forget(call: string): void {
    const begun = this.#begun.get(call);
    if (begun === undefined) return;
    this.#begun.delete(call);
    for (const page of begun.callFacts.pages) {
      page.activeCalls -= 1;
      page.facts.discard(call);
    }
  }

  /** Applies an entry that was written: an outcome or an undo. */
  observe(entry: StoredEntry): void {
    if (isUndone(entry)) return this.#observeUndone(entry.call);
    if (entry.type !== 'ToolInvoked') return;
    const begun = this.#begun.get(entry.call);
    if (begun?.ended === undefined) {
      const { event, ...owner } = endedCall(entry);
      const pages = begun?.callFacts.pages ?? loadedPages(this.#pages, owner);
      if (event !== undefined)
        addEvent(pages, begun?.prints === undefined ? event : { ...event, prints: begun.prints });
    } else {
      const { seq, at, call, tool } = entry;
      addEvent(begun.callFacts.pages, { seq, at, call, tool, ...begun.ended });
    }
    this.forget(entry.call);
  }

  #observeUndone(call: string): void {
    this.#undone.add(call);
    for (const pages of Object.values(this.#pages)) for (const { facts } of pages.values()) facts.revert(call);
  }

  #page(kind: Kind, key: string, owner: FactsOwner): FactsPage {
    const pages = this.#pages[kind];
    let page = pages.get(key);
    if (page === undefined) {
      const facts = kind === 'principal' ? this.#policy.principalFacts() : this.#policy.sessionFacts();
      const recorded = kind === 'principal' ? this.#principalEntries(owner) : this.#sessionEntries(owner);
      const fingerprints = recorded?.principal === undefined ? undefined : this.#outputsOf(recorded.principal);
      const nothing = { buffered: undefined, loading: undefined, catchingUp: undefined, nextCatchUp: undefined };
      page = { facts, recorded, upTo: 0, foreignEntries: 0, activeCalls: 0, fingerprints, ...nothing };
      if (recorded !== undefined) {
        page.buffered = [];
        page.loading = this.#read(pages, key, page, recorded);
      }
      evict(pages);
    } else if (pages.size < maxPages / 2) return page;
    else pages.delete(key);
    // Most recently used last, once the cache is half full.
    pages.set(key, page);
    return page;
  }

  async #read(pages: Pages, key: string, page: FactsPage, recorded: Recorded): Promise<void> {
    try {
      const head = this.isShared ? await this.#newest() : undefined;
      const { events, open } = await this.#events(recorded, head);
      const undone = await this.#undoneCalls(recorded.query);
      const outputs = await page.fingerprints?.read(this.#policy.trackedLabels());
      for (const event of events) page.facts.observe(event);
      for (const [label, all] of outputs ?? []) for (const prints of all) page.facts.addFingerprints(label, prints);
      for (const call of undone) page.facts.revert(call);
      for (const intent of open) applyEntry(page.facts, intent, recorded.matches);
      page.upTo = head ?? events.at(-1)?.seq ?? 0;
      page.foreignEntries += 1;
      for (const event of page.buffered ?? []) if (event.seq > page.upTo) page.facts.observe(event);
      // Calls that were undone while the journal was read.
      for (const call of this.#undone) page.facts.revert(call);
      page.buffered = undefined;
      page.loading = undefined;
    } catch (error) {
      // The next call tries again, because no call may be decided on incomplete facts.
      pages.delete(key);
      throw error;
    }
  }

  /** Reads the entries of other processes. A call that asks during a read needs another one, because that read may have begun too early. */
  #catchUp(page: FactsPage): Promise<void> {
    return (page.nextCatchUp ??= Promise.resolve(page.catchingUp)
      .catch(() => undefined)
      .then(() => {
        page.nextCatchUp = undefined;
        page.catchingUp = this.#readForeignEntries(page).finally(() => (page.catchingUp = undefined));
        return page.catchingUp;
      }));
  }

  async #readForeignEntries(page: FactsPage): Promise<void> {
    await page.loading;
    if (page.recorded === undefined || this.#areOwn([page])) return;
    const { query, matches } = page.recorded;
    const from = page.upTo;
    // Over the network, asking for the newest entry costs as much as reading.
    const upTo = this.#store.pubSub.isCrossProcess ? 0 : await this.#newest();
    let entries: readonly StoredEntry[];
    do {
      entries = await this.#store.entries({ ...query, after: page.upTo, order: 'oldest-first', limit: pageSize });
      for (const entry of entries) {
        if (entry.writer !== this.#store.writer) {
          const labels = page.fingerprints === undefined ? [] : this.#policy.trackedLabels(labelsOf(entry));
          await page.fingerprints?.addStored(page.facts, labels, entry.call);
          applyEntry(page.facts, entry, matches);
          page.foreignEntries += 1;
        }
        page.upTo = entry.seq;
      }
    } while (entries.length === pageSize);
    page.upTo = Math.max(page.upTo, upTo);
    // Read last: an undo that is applied before its call would be lost.
    if (query.principal !== undefined)
      for (const call of await this.#undoneCalls({ ...query, after: from })) page.facts.revert(call);
  }

  #outputsOf(principal: string): StoredFingerprints | undefined {
    if (this.#cipher === undefined) return undefined;
    return new StoredFingerprints(this.#store.keyValues, this.#cipher, principal);
  }

  /** Returns the newest ended calls, oldest first; with several processes, up to `upTo` and with the running calls of other processes. */
  async #events({ query, matches }: Recorded, upTo?: number): Promise<Read> {
    const events: CallEvent[] = [];
    const ended = new Set<string>();
    let before = upTo === undefined ? undefined : upTo + 1;
    const begun = before === undefined ? [] : await this.#begunBefore(query, before);
    for (let read = 0; read < maxEntries; read += pageSize) {
      const entries = await this.#store.entries({
        ...query,
        type: 'ToolInvoked',
        order: 'newest-first',
        limit: pageSize,
        ...(before === undefined ? {} : { before }),
      });
      for (const entry of entries) {
        const { event, ...owner } = endedCall(entry);
        if (event !== undefined && matches(owner)) events.push(event);
        ended.add(entry.call);
      }
      const isAll = entries.length < pageSize;
      before = isAll ? 0 : entries.at(-1)?.seq;
      if (isAll) break;
    }
    // Calls that began before the entries that were read may have ended.
    const open = begun.filter(({ seq, call }) => seq > (before ?? 0) && !ended.has(call));
    return { events: events.toReversed(), open };
  }

  /** Returns the calls that any principal undid: an undo is recorded under the principal that requested it, not under the caller. */
  async #undoneCalls({ principal: _, ...query }: Partial<EntryQuery>): Promise<readonly string[]> {
    const undos = await this.#store.entries({
      ...query,
      type: 'Undone',
      order: 'newest-first',
      limit: pageSize,
    });
    return undos.filter(isUndone).map(({ call }) => call);
  }

  async #newest(): Promise<number> {
    const [newest] = await this.#store.entries({ order: 'newest-first', limit: 1 });
    return newest?.seq ?? 0;
  }

  /** Returns intents of other processes. */
  async #begunBefore({ since: _, ...query }: Partial<EntryQuery>, before: number): Promise<readonly StoredEntry[]> {
    const open = { type: 'CallStarted', calls: true } as const;
    const intents = { ...query, ...open, order: 'newest-first', limit: pageSize, before } as const;
    return (await this.#store.entries(intents)).filter(({ writer }) => writer !== this.#store.writer);
  }

  #sessionEntries({ session, principal }: FactsOwner): Recorded {
    if (session !== '') return { query: { session }, matches: () => true };
    // Calls without a session share one past for each principal.
    return { query: { principal }, matches: (owner) => owner.session === '' && owner.principal === principal };
  }

  #principalEntries({ principal }: FactsOwner): Recorded | undefined {
    const span = this.#principalSpan;
    if (span === 0) return undefined;
    const query = { since: Date.now() - span, principal };
    return { query, principal, matches: (owner) => owner.principal === principal };
  }

  /** The period for which calls of a principal count. */
  get #principalSpan(): number {
    return Math.max(this.#policy.principalWindowMs, this.#policy.tracksValues ? recognizedForMs : 0);
  }
}

/** Applies an entry of another process. */
function applyEntry(facts: Facts, entry: StoredEntry, matches: Recorded['matches']): void {
  if (isUndone(entry)) facts.revert(entry.call);
  else if (entry.type === 'CallStarted') {
    const started = toEvent(entry) as CallStarted;
    const { principal, arguments: args, tool } = started;
    if (started.uncounted !== true && matches({ session: entry.session, principal: principal.id }))
      facts.begin({
        id: entry.call,
        tool,
        naming: namingIn(started),
        at: entry.at,
        seq: entry.seq,
        arguments: args,
        argumentFacts: countedIn(entry),
      });
  } else if (entry.type === 'ToolInvoked') {
    const { event, ...owner } = endedCall(entry);
    if (event === undefined) facts.discard(entry.call);
    else if (matches(owner)) facts.observe(event);
  }
}

function labelsOf(entry: StoredEntry): readonly string[] {
  return entry.type === 'ToolInvoked' ? ((toEvent(entry) as ToolInvoked).labels ?? []) : [];
}

/** Returns whether an entry records that a call was undone, at least in part. */
function isUndone(entry: StoredEntry): boolean {
  if (entry.type !== 'Undone') return false;
  const { result } = toEvent(entry) as Undone;
  return result === 'undone' || result === 'partly-undone';
}

function isLoaded({ loading }: FactsPage): boolean {
  return loading === undefined;
}

function addEvent(pages: readonly FactsPage[], event: CallEvent): void {
  for (const { buffered, facts } of pages) {
    if (buffered !== undefined) buffered.push(event);
    else facts.observe(event);
  }
}

interface Read {
  readonly events: readonly CallEvent[];
  /** Intents of other processes without an outcome. */
  readonly open: readonly StoredEntry[];
}

interface Recorded {
  readonly query: Partial<EntryQuery>;
  /** Present for the page of a principal. */
  readonly principal?: string;
  readonly matches: (owner: FactsOwner) => boolean;
}

/** Returns the loaded pages that a call counts for. */
function loadedPages({ session, alone, principal }: Record<Kind, Pages>, owner: FactsOwner): readonly FactsPage[] {
  const own = owner.session === '' ? alone.get(owner.principal) : session.get(owner.session);
  return [own, principal.get(owner.principal)].flatMap((page) => page ?? []);
}

/** Makes room for one page: evicts the least recently used one that no running call needs. */
function evict(pages: Pages): void {
  if (pages.size < maxPages) return;
  for (const [key, { activeCalls, loading }] of pages) {
    if (activeCalls > 0 || loading !== undefined) continue;
    pages.delete(key);
    return;
  }
}
