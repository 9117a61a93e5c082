import { type StoredEntry, countedIn, toEvent } from '../../journal/entries/stored-entry.ts';
import { type Undone } from '../../journal/entries/journal-event.ts';
import { type ToolInvoked } from '../../journal/entries/journal-event.ts';
import { type CallStarted } from '../../journal/entries/journal-event.ts';
import type { EntryQuery, Store } from '../../journal/store/store.ts';
import { KeyedSlotMap } from '../../core/async/slot-map.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { CallEvent } from '../../policy/facts/call-event.ts';
import type { StartedCall, Facts } from '../../policy/facts/facts.ts';
import { fingerprintsOf } from '../../policy/facts/fingerprints/fingerprints.ts';
import type { DecisionFacts, Policy } from '../../policy/policy.ts';
import { RecentSet } from '../../policy/facts/recent-set.ts';
import { endedCall, namingIn } from './recorded-calls.ts';
import { FingerprintCipher, StoredFingerprints } from './stored-fingerprints.ts';

/** Whose past a call has: its session's and its principal's. */
export interface Whose {
  readonly session: string;
  readonly principal: string;
}

interface Page {
  readonly facts: Facts;
  /** What it is read from, if it is. */
  readonly recorded: Recorded | undefined;
  /** Everything up to here is in it, of whichever process. */
  upTo: number;
  /** How many entries of other processes were heard since it was read. */
  heard: number;
  /** What others recorded is being read, and will be once more for those who have asked since. */
  looking: Promise<void> | undefined;
  next: Promise<void> | undefined;
  /** While the journal is being read: what ended meanwhile. Afterwards absent. */
  meanwhile: CallEvent[] | undefined;
  ready: Promise<void> | undefined;
  begun: number;
  /** Fingerprints of outputs in the store; of a principal, where rules recognise outputs. */
  readonly outputs: StoredFingerprints | undefined;
}

/** Where the book was opened for a call. */
export interface FactsOfCall {
  readonly whose: Whose;
  readonly tool: ToolDefinition;
  /** Of the session, and of the principal where that matters. */
  readonly pages: readonly Page[];
  readonly past: DecisionFacts;
}

interface Begun {
  readonly at: FactsOfCall;
  readonly call: StartedCall;
  /** Fingerprints of all that it said, where that is of interest. */
  prints?: Float64Array;
  /** How it ended, where that is known without reading the entry. */
  ended?: KnownEnding;
  /** How much each page had heard of other processes when the call was decided. */
  readonly heard: readonly number[];
}

/** What facts are made of, besides what the columns of the entry say. */
export type KnownEnding = Omit<CallEvent, 'seq' | 'at' | 'call' | 'tool'>;

type Kind = 'session' | 'alone' | 'principal';
type Pages = Map<string, Page>;

/** Of each kind. */
const mostPages = 1000;
const mostEntries = 20_000;
const entriesAtOnce = 1000;
const noneHeard: readonly number[] = [];
const valuesFor = 24 * 60 * 60 * 1000;

/**
 * The facts of all sessions and principals that were seen lately. Read back from the journal when one is seen for the first
 * time, fed by every outcome that is recorded from then on, and let go when it was not used for long: the journal has it all.
 */
export class SessionFacts {
  readonly #policy: Policy;
  readonly #store: Store;
  /** By session, by principal for calls without one, and by principal. */
  readonly #pages = {
    session: new Map<string, Page>(),
    alone: new Map<string, Page>(),
    principal: new Map<string, Page>(),
  };
  readonly #begun = new KeyedSlotMap<string, Begun>();
  /** The latest calls that were undone since this process began. */
  readonly #undone = new RecentSet<string>(entriesAtOnce);
  readonly #cipher: FingerprintCipher | undefined;
  /** In the place of facts that no rule asks for. */
  readonly #nobody: Facts;

  /** Calls that are under way count in the next book too. */
  constructor(policy: Policy, store: Store, previous: SessionFacts | undefined) {
    this.#policy = policy;
    this.#store = store;
    this.#cipher = policy.tracksValues ? FingerprintCipher.of(store) : undefined;
    this.#nobody = policy.principalFacts();
    if (previous === undefined) return;
    for (const { at, call } of previous.#begun.values()) this.begin(this.open(at.whose, at.tool), call);
  }

  /** Whether other processes serve the same callers. */
  get isShared(): boolean {
    return this.#store.isShared;
  }

  /** Opens the book for a call: at its session, and at its principal where a rule needs that for calls of the tool. */
  open(whose: Whose, tool: ToolDefinition): FactsOfCall {
    const { session, principal } = whose;
    const own = session === '' ? this.#page('alone', principal, whose) : this.#page('session', session, whose);
    if (!this.#policy.needsPrincipal(tool))
      return { whose, tool, pages: [own], past: { session: own.facts, principal: this.#nobody } };
    const other = this.#page('principal', principal, whose);
    return { whose, tool, pages: [own, other], past: { session: own.facts, principal: other.facts } };
  }

  /**
   * What is known of the past; a promise only when the journal has to be read first. In a book that is shared, that is whenever
   * the past matters: what other processes acknowledged before is part of it.
   */
  pastOf({ pages, past }: FactsOfCall, matters: boolean): DecisionFacts | Promise<DecisionFacts> {
    if (pages.every(isReady) && (!matters || this.#areCurrent(pages))) return past;
    const waited = matters ? pages.map((page) => this.#catchUp(page)) : pages.flatMap(({ ready }) => ready ?? []);
    return Promise.all(waited).then(() => past);
  }

  /** Whether pages have everything that any process has written. */
  #areCurrent(pages: readonly Page[]): boolean {
    return pages.every(({ looking, next }) => looking === undefined && next === undefined) && this.#areOwn(pages);
  }

  /** Whether only this process has written since pages were read. */
  #areOwn(pages: readonly Page[]): boolean {
    const newest = this.#store.ownSince(Math.min(...pages.map(({ upTo }) => upTo)));
    if (newest !== undefined) for (const page of pages) page.upTo = newest;
    return newest !== undefined;
  }

  /**
   * Counts again, now that the intent of a call has its place in the journal: with the calls of all processes before it, and without
   * those behind it, which count this one. So of calls that are decided at once by several processes, exactly those run that fit the limits.
   */
  async recount<Found>(
    id: string,
    seq: number,
    check: (past: DecisionFacts) => Found | undefined,
  ): Promise<Found | undefined> {
    const begun = this.#begun.get(id);
    if (begun === undefined) return undefined;
    const { pages, past } = begun.at;
    for (const { facts } of pages) facts.setPlace(id, seq);
    await this.pastOf(begun.at, true);
    if (pages.every(({ heard }, index) => heard === begun.heard[index])) return undefined;
    return past.session.readBefore(seq, () => past.principal.readBefore(seq, () => check(past)));
  }

  /** A call was let through. It counts from now on, whatever else is decided before it ends. */
  begin(at: FactsOfCall, call: StartedCall): void {
    this.#begun.set(call.id, { at, call, heard: this.isShared ? at.pages.map(({ heard }) => heard) : noneHeard });
    for (const page of at.pages) {
      page.begun += 1;
      page.facts.begin(call);
    }
  }

  /** A call said this in full. Where the journal will not have it whole, its fingerprints are stored; then a promise. */
  heard(call: string, labels: readonly string[], output: string, isRecorded: boolean): Promise<void> | undefined {
    const begun = this.#begun.get(call);
    if (begun === undefined) return undefined;
    begun.prints = fingerprintsOf(output);
    const outputs = begun.at.pages.find((page) => page.outputs !== undefined)?.outputs;
    if (isRecorded || outputs === undefined) return undefined;
    return outputs.put(this.#policy.trackedLabels(labels), call, begun.prints, Date.now() + this.#principalSpan);
  }

  /** How a call ended that is about to be recorded so, word for word: its entry need not be read for it. */
  ended(call: string, ending: KnownEnding): void {
    const begun = this.#begun.get(call);
    if (begun !== undefined) begun.ended = ending;
  }

  /** A call ended without having run, or nobody will ever know. */
  forget(call: string): void {
    const begun = this.#begun.get(call);
    if (begun === undefined) return;
    this.#begun.delete(call);
    for (const page of begun.at.pages) {
      page.begun -= 1;
      page.facts.discard(call);
    }
  }

  /** An outcome, or that a call was undone, has been recorded. */
  observe(entry: StoredEntry): void {
    if (isUndone(entry)) return this.#observeUndone(entry.call);
    if (entry.type !== 'ToolInvoked') return;
    const begun = this.#begun.get(entry.call);
    if (begun?.ended === undefined) {
      const { event, ...whose } = endedCall(entry);
      const pages = begun?.at.pages ?? keptOf(this.#pages, whose);
      if (event !== undefined) tell(pages, begun?.prints === undefined ? event : { ...event, prints: begun.prints });
    } else {
      const { seq, at, call, tool } = entry;
      tell(begun.at.pages, { seq, at, call, tool, ...begun.ended });
    }
    this.forget(entry.call);
  }

  #observeUndone(call: string): void {
    this.#undone.add(call);
    for (const pages of Object.values(this.#pages)) for (const { facts } of pages.values()) facts.revert(call);
  }

  #page(kind: Kind, key: string, whose: Whose): Page {
    const pages = this.#pages[kind];
    let page = pages.get(key);
    if (page === undefined) {
      const facts = kind === 'principal' ? this.#policy.principalFacts() : this.#policy.sessionFacts();
      const recorded = kind === 'principal' ? this.#principalEntries(whose) : this.#sessionEntries(whose);
      const outputs = recorded?.principal === undefined ? undefined : this.#outputsOf(recorded.principal);
      const nothing = { meanwhile: undefined, ready: undefined, looking: undefined, next: undefined };
      page = { facts, recorded, upTo: 0, heard: 0, begun: 0, outputs, ...nothing };
      if (recorded !== undefined) {
        page.meanwhile = [];
        page.ready = this.#read(pages, key, page, recorded);
      }
      letGo(pages);
    } else if (pages.size < mostPages / 2) return page;
    else pages.delete(key);
    // The one that was used last stands last, as soon as some may have to go.
    pages.set(key, page);
    return page;
  }

  async #read(pages: Pages, key: string, page: Page, recorded: Recorded): Promise<void> {
    try {
      const head = this.isShared ? await this.#newest() : undefined;
      const { events, open } = await this.#events(recorded, head);
      const undone = await this.#undoneCalls(recorded.query);
      const outputs = await page.outputs?.read(this.#policy.trackedLabels());
      for (const event of events) page.facts.observe(event);
      for (const [label, all] of outputs ?? []) for (const prints of all) page.facts.addFingerprints(label, prints);
      for (const call of undone) page.facts.revert(call);
      for (const intent of open) hear(page.facts, intent, recorded.fits);
      page.upTo = head ?? events.at(-1)?.seq ?? 0;
      page.heard += 1;
      for (const event of page.meanwhile ?? []) if (event.seq > page.upTo) page.facts.observe(event);
      // Undone while the journal was read.
      for (const call of this.#undone) page.facts.revert(call);
      page.meanwhile = undefined;
      page.ready = undefined;
    } catch (error) {
      // Tried again by the next call: nothing is decided on a past that is not known.
      pages.delete(key);
      throw error;
    }
  }

  /** Reads what other processes have recorded. Who asks while that is under way needs another look: it may have begun too early. */
  #catchUp(page: Page): Promise<void> {
    return (page.next ??= Promise.resolve(page.looking)
      .catch(() => undefined)
      .then(() => {
        page.next = undefined;
        page.looking = this.#look(page).finally(() => (page.looking = undefined));
        return page.looking;
      }));
  }

  async #look(page: Page): Promise<void> {
    await page.ready;
    if (page.recorded === undefined || this.#areOwn([page])) return;
    const { query, fits } = page.recorded;
    const from = page.upTo;
    // Where asking is as dear as reading, nobody asks whether there is something to read.
    const upTo = this.#store.pubSub.isCrossProcess ? 0 : await this.#newest();
    let entries: readonly StoredEntry[];
    do {
      entries = await this.#store.entries({ ...query, after: page.upTo, order: 'oldest-first', limit: entriesAtOnce });
      for (const entry of entries) {
        if (entry.writer !== this.#store.writer) {
          const labels = page.outputs === undefined ? [] : this.#policy.trackedLabels(labelsOf(entry));
          await page.outputs?.hear(page.facts, labels, entry.call);
          hear(page.facts, entry, fits);
          page.heard += 1;
        }
        page.upTo = entry.seq;
      }
    } while (entries.length === entriesAtOnce);
    page.upTo = Math.max(page.upTo, upTo);
    // Read last: an undo that is applied before its call was heard would be lost.
    if (query.principal !== undefined)
      for (const call of await this.#undoneCalls({ ...query, after: from })) page.facts.revert(call);
  }

  #outputsOf(principal: string): StoredFingerprints | undefined {
    if (this.#cipher === undefined) return undefined;
    return new StoredFingerprints(this.#store.keyValues, this.#cipher, principal);
  }

  /** The newest calls that ended, oldest first; where there are other processes, up to that place and with those that run there. */
  async #events({ query, fits }: Recorded, upTo?: number): Promise<Read> {
    const events: CallEvent[] = [];
    const ended = new Set<string>();
    let before = upTo === undefined ? undefined : upTo + 1;
    const begun = before === undefined ? [] : await this.#begunBefore(query, before);
    for (let read = 0; read < mostEntries; read += entriesAtOnce) {
      const entries = await this.#store.entries({
        ...query,
        type: 'ToolInvoked',
        order: 'newest-first',
        limit: entriesAtOnce,
        ...(before === undefined ? {} : { before }),
      });
      for (const entry of entries) {
        const { event, ...whose } = endedCall(entry);
        if (event !== undefined && fits(whose)) events.push(event);
        ended.add(entry.call);
      }
      const isAll = entries.length < entriesAtOnce;
      before = isAll ? 0 : entries.at(-1)?.seq;
      if (isAll) break;
    }
    // Of calls that began before what was read, nobody knows here whether they ended.
    const open = begun.filter(({ seq, call }) => seq > (before ?? 0) && !ended.has(call));
    return { events: events.toReversed(), open };
  }

  /** Returns the calls that any principal undid: an undo is recorded under the principal that requested it, not under the caller. */
  async #undoneCalls({ principal: _, ...query }: Partial<EntryQuery>): Promise<readonly string[]> {
    const undos = await this.#store.entries({
      ...query,
      type: 'Undone',
      order: 'newest-first',
      limit: entriesAtOnce,
    });
    return undos.filter(isUndone).map(({ call }) => call);
  }

  async #newest(): Promise<number> {
    const [newest] = await this.#store.entries({ order: 'newest-first', limit: 1 });
    return newest?.seq ?? 0;
  }

  /** Calls of other processes that have not ended. */
  async #begunBefore({ since: _, ...query }: Partial<EntryQuery>, before: number): Promise<readonly StoredEntry[]> {
    const open = { type: 'CallStarted', calls: true } as const;
    const intents = { ...query, ...open, order: 'newest-first', limit: entriesAtOnce, before } as const;
    return (await this.#store.entries(intents)).filter(({ writer }) => writer !== this.#store.writer);
  }

  #sessionEntries({ session, principal }: Whose): Recorded {
    if (session !== '') return { query: { session }, fits: () => true };
    // Calls without a session share one past for each principal.
    return { query: {}, fits: (whose) => whose.session === '' && whose.principal === principal };
  }

  #principalEntries({ principal }: Whose): Recorded | undefined {
    const span = this.#principalSpan;
    if (span === 0) return undefined;
    const query = { since: Date.now() - span, principal };
    return { query, principal, fits: (whose) => whose.principal === principal };
  }

  /** How long what a principal did is of interest. */
  get #principalSpan(): number {
    return Math.max(this.#policy.principalWindowMs, this.#policy.tracksValues ? valuesFor : 0);
  }
}

/** Takes what another process recorded: a call that began there, or ended. */
function hear(facts: Facts, entry: StoredEntry, fits: Recorded['fits']): void {
  if (isUndone(entry)) facts.revert(entry.call);
  else if (entry.type === 'CallStarted') {
    const started = toEvent(entry) as CallStarted;
    const { principal, arguments: args, tool } = started;
    if (started.uncounted !== true && fits({ session: entry.session, principal: principal.id }))
      facts.begin({
        id: entry.call,
        tool,
        naming: namingIn(started),
        at: entry.at,
        seq: entry.seq,
        arguments: args,
        counted: countedIn(entry),
      });
  } else if (entry.type === 'ToolInvoked') {
    const { event, ...whose } = endedCall(entry);
    if (event === undefined) facts.discard(entry.call);
    else if (fits(whose)) facts.observe(event);
  }
}

function labelsOf(entry: StoredEntry): readonly string[] {
  return entry.type === 'ToolInvoked' ? ((toEvent(entry) as ToolInvoked).labels ?? []) : [];
}

/** Whether an entry says that a call was undone, in part at least. */
function isUndone(entry: StoredEntry): boolean {
  if (entry.type !== 'Undone') return false;
  const { result } = toEvent(entry) as Undone;
  return result === 'undone' || result === 'partly-undone';
}

function isReady({ ready }: Page): boolean {
  return ready === undefined;
}

function tell(pages: readonly Page[], event: CallEvent): void {
  for (const { meanwhile, facts } of pages) {
    if (meanwhile !== undefined) meanwhile.push(event);
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
  /** Present where it is the past of a principal. */
  readonly principal?: string;
  readonly fits: (whose: Whose) => boolean;
}

/** The pages that a call counts for, so far as there are any. */
function keptOf({ session, alone, principal }: Record<Kind, Pages>, whose: Whose): readonly Page[] {
  const own = whose.session === '' ? alone.get(whose.principal) : session.get(whose.session);
  return [own, principal.get(whose.principal)].flatMap((page) => page ?? []);
}

/** Makes room for one more: by one that nobody needs now, of those that were not used for longest. */
function letGo(pages: Pages): void {
  if (pages.size < mostPages) return;
  for (const [key, { begun, ready }] of pages) {
    if (begun > 0 || ready !== undefined) continue;
    pages.delete(key);
    return;
  }
}
