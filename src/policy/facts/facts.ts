import { type ArgumentFacts, pathFingerprint } from '../../core/calls/argument-facts.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { matchesAnyName } from '../../core/text/name-pattern.ts';
import { KeyedSlotMap } from '../../core/async/slot-map.ts';
import { type RecordedNaming, namesOf, recordedTool } from '../../core/tools/tool-names.ts';
import type { CallEvent } from './call-event.ts';
import { FingerprintSet } from './fingerprint-set.ts';
import { fingerprintsOf, findLabelsOf } from './fingerprints.ts';
import { type Meter, MeterState, type Reading, costOfDecidedCall } from './meter.ts';
import { normalizePath, pathArguments, pathsIn, pathsInArguments } from './argument-paths.ts';
import { type Patterns, matchesAny } from '../rules/patterns.ts';
import { RecentSet } from './recent-set.ts';

/** The tools whose reads and writes make a file count as known. */
export interface ReadTrack {
  readonly read: Patterns;
  readonly write: Patterns;
  /** The argument that names the file. */
  readonly path: string;
}

/** The facts that the rules of a policy need; others are not stored. */
export interface FactRequirements {
  readonly meters: readonly Meter[];
  readonly tracks: readonly ReadTrack[];
  /** Labels of the tools whose output must be recognized in later arguments. */
  readonly trackedLabels: readonly string[];
}

/** The last matching call of the past. `seq` is 0 when there was none. */
export interface PastCall {
  readonly seq: number;
  readonly at: number;
  readonly args: JsonObject;
}

/** An admitted call that has not ended yet. */
export interface StartedCall {
  readonly id: string;
  readonly tool: string;
  /** Present when the rendered name differs from the server's own name for the tool. */
  readonly naming?: RecordedNaming | undefined;
  readonly at: number;
  /** The position of its intent in the journal, if known. */
  readonly seq?: number | undefined;
  readonly arguments: JsonObject;
  /** The facts of its arguments. Present when it began in another process and its arguments are not recorded in full. */
  readonly argumentFacts?: ArgumentFacts | undefined;
  /** The call as it was decided, when it was decided in this process. */
  readonly decided?: { readonly arguments: JsonObject } | undefined;
}

interface ToolRecord {
  readonly names: readonly string[];
  readonly meters: readonly MeterState[];
  readonly tracks: readonly { readonly path: string; readonly known: RecentSet<string> }[];
  last: PastCall;
  lastOk: PastCall;
  /** The newest completed calls that can be undone. When later ones are undone, `lastOk` falls back to one of them. */
  completed: { readonly call: string; readonly past: PastCall }[];
  count: number;
  readonly pending: KeyedSlotMap<string, StartedCall>;
}

/** A running call, with the position of its intent in the journal once that is known. */
interface RunningCall {
  readonly record: ToolRecord;
  readonly costs: readonly number[];
  seq: number;
}

const noPastCall: PastCall = { seq: 0, at: 0, args: {} };
const maxPaths = 10_000;
const maxLookups = 1000;
/** The number of completed calls of a tool that are stored by id. When all of them are undone, none counts as completed. */
const maxRevertible = 8;
const noCosts: readonly number[] = [];

/** The facts about past calls of one session or one principal. Each update takes constant time, however many calls came before. */
export class Facts {
  readonly #meters: ReadonlyMap<Meter, MeterState>;
  readonly #tracks: ReadonlyMap<ReadTrack, RecentSet<string>>;
  readonly #values: ReadonlyMap<string, FingerprintSet>;
  readonly #tools = new Map<string, ToolRecord>();
  readonly #lookups = new Map<string, ToolRecord[]>();
  readonly #running = new KeyedSlotMap<string, RunningCall>();
  readonly #read = new RecentSet<string>(maxPaths);
  readonly #labels = new Set<string>();
  #hasFingerprints = false;
  /** The time at which a tool with the label last ended. */
  readonly #lastEndByLabel = new Map<string, number>();
  #newest = 0;
  #cost = 0;

  constructor(requirements: FactRequirements) {
    this.#meters = new Map(requirements.meters.map((meter) => [meter, new MeterState(meter)]));
    this.#tracks = new Map(requirements.tracks.map((track) => [track, new RecentSet<string>(maxPaths)]));
    this.#values = new Map(requirements.trackedLabels.map((label) => [label, new FingerprintSet()]));
  }

  /** The labels of the tools that have run. */
  get labels(): ReadonlySet<string> {
    return this.#labels;
  }

  /** Returns whether a tool with this label has run since. */
  hasRunSince(label: string, since: number): boolean {
    const at = this.#lastEndByLabel.get(label);
    return at !== undefined && at > since;
  }

  /** The sum of the reported costs. */
  get cost(): number {
    return this.#cost;
  }

  /** Records an admitted call. Until it ends, it counts as the last call of its tool. */
  begin(call: StartedCall): void {
    const record = this.#record(call);
    const costs = record.meters.length === 0 ? noCosts : record.meters.map(({ meter }) => costOf(meter, call, 0));
    record.meters.forEach((state, index) => state.begin(costs[index] ?? 0));
    record.pending.set(call.id, call);
    this.#running.set(call.id, { record, costs, seq: call.seq ?? Number.POSITIVE_INFINITY });
  }

  /** Sets the sequence number in the journal of a running call's intent. */
  setSeq(id: string, seq: number): void {
    const running = this.#running.get(id);
    if (running !== undefined) running.seq = seq;
  }

  /** Reads meters, excluding running calls whose intents are not before this position in the journal. */
  readBefore<Result>(seq: number, read: () => Result): Result {
    const later = [...this.#running.values()].filter((running) => running.seq >= seq);
    for (const { record, costs } of later) record.meters.forEach((state, index) => state.end(costs[index] ?? 0));
    try {
      return read();
    } finally {
      for (const { record, costs } of later) record.meters.forEach((state, index) => state.begin(costs[index] ?? 0));
    }
  }

  /** Discards a call that ended without running. */
  discard(id: string): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    running.record.pending.delete(id);
    running.record.meters.forEach((state, index) => state.end(running.costs[index] ?? 0));
  }

  /** Records a call that has ended and may have acted. */
  observe(event: CallEvent): void {
    const record = this.#record(event);
    const running = this.#running.get(event.call);
    const costs = running?.record === record ? running.costs : noCosts;
    this.discard(event.call);
    const past: PastCall = { seq: event.seq, at: event.at, args: event.arguments };
    this.#newest = Math.max(this.#newest, event.seq);
    this.#cost += event.cost;
    // Entries of other processes may arrive after later entries of this process.
    if (past.seq >= record.last.seq) record.last = past;
    record.count += 1;
    record.meters.forEach((state, index) => {
      const decided = state.meter.costExpression === undefined ? undefined : costs[index];
      state.add(event.at, decided ?? costOf(state.meter, event, event.cost));
    });
    for (const label of event.labels) {
      this.#labels.add(label);
      this.#lastEndByLabel.set(label, Math.max(event.at, this.#lastEndByLabel.get(label) ?? 0));
    }
    const values = this.#values.size === 0 ? [] : event.labels.flatMap((label) => this.#values.get(label) ?? []);
    if (values.length > 0) {
      const prints = event.prints ?? fingerprintsOf(event.output);
      for (const each of values) each.addAll(prints);
    }
    if (!event.ok) return;
    if (past.seq >= record.lastOk.seq) record.lastOk = past;
    if (event.effect !== 'read') {
      record.completed.push({ call: event.call, past });
      if (record.completed.length > maxRevertible) record.completed.shift();
    }
    for (const { path, known } of record.tracks) for (const each of this.#pathsOf(event, path)) known.add(each);
    if (event.effect !== 'read') return;
    if (event.argumentFacts === undefined) for (const path of pathsInArguments(event.arguments)) this.#read.add(path);
    else for (const name of pathArguments) for (const path of this.#pathsOf(event, name)) this.#read.add(path);
  }

  /** Returns the paths in an argument, or their fingerprints. */
  #pathsOf({ arguments: args, argumentFacts }: CallEvent, name: string): readonly string[] {
    if (argumentFacts === undefined) return pathsIn(args[name]) ?? [];
    this.#hasFingerprints = true;
    return argumentFacts.paths[name] ?? [];
  }

  #has(paths: RecentSet<string>, path: string): boolean {
    return paths.has(path) || (this.#hasFingerprints && paths.has(pathFingerprint(path)));
  }

  /** Reverts the completion of a call that was undone. It still counts as a call that ran. */
  revert(call: string): void {
    for (const record of this.#tools.values()) {
      const left = record.completed.filter((each) => each.call !== call);
      if (left.length === record.completed.length) continue;
      record.completed = left;
      record.lastOk = left.reduce((latest, { past }) => (past.seq > latest.seq ? past : latest), noPastCall);
    }
  }

  /** Returns the last call of matching tools that may have acted. A running call is later than all that have ended. */
  last(pattern: string): PastCall {
    let last = noPastCall;
    for (const record of this.#matching(pattern)) {
      if (record.pending.size > 0)
        for (const call of record.pending.values()) {
          const seq = this.#newest + 1;
          if (seq > last.seq || call.at >= last.at) last = { seq, at: call.at, args: call.arguments };
        }
      if (record.last.seq > last.seq) last = record.last;
    }
    return last;
  }

  /** Returns the last call of matching tools that completed and was not undone. */
  lastOk(pattern: string): PastCall {
    let last = noPastCall;
    for (const { lastOk } of this.#matching(pattern)) if (lastOk.seq > last.seq) last = lastOk;
    return last;
  }

  /** Returns the number of calls of matching tools that ran or are running. */
  count(pattern: string): number {
    let count = 0;
    for (const record of this.#matching(pattern)) count += record.count + record.pending.size;
    return count;
  }

  /** Returns the count of one of the required meters. */
  reading(meter: Meter, now: number): Reading {
    const state = this.#meters.get(meter);
    if (state === undefined) throw new Error('the meter is not among the requirements of these facts');
    return state.read(now);
  }

  /** Returns whether a completed call of a reading tool named this path. */
  hasRead(path: string): boolean {
    const normal = normalizePath(path);
    return normal !== undefined && this.#has(this.#read, normal);
  }

  /** Returns whether one of the tracked tools has read or written this path. */
  hasAccessed(track: ReadTrack, path: string): boolean {
    const paths = this.#tracks.get(track);
    return paths !== undefined && this.#has(paths, path);
  }

  /** Adds fingerprints of an output of a tool with this label. */
  addFingerprints(label: string, prints: Iterable<number>): void {
    this.#values.get(label)?.addAll(prints);
  }

  /** Returns the labels of tools whose output reappears in the arguments. */
  findLabels(args: JsonObject): ReadonlySet<string> {
    return findLabelsOf(this.#values, args);
  }

  #matching(pattern: string): readonly ToolRecord[] {
    let found = this.#lookups.get(pattern);
    if (found === undefined) {
      found = [...this.#tools.values()].filter(({ names }) => matchesAnyName(names, pattern));
      if (this.#lookups.size < maxLookups) this.#lookups.set(pattern, found);
    }
    return found;
  }

  #record({ tool, naming }: Pick<StartedCall, 'tool' | 'naming'>): ToolRecord {
    // The same rendered name with another original name is a different tool.
    const key = naming === undefined ? tool : JSON.stringify([tool, naming]);
    let record = this.#tools.get(key);
    if (record === undefined) {
      // Past calls can also permit (a required step, a file that was read), so a name that looks like another server's is not matched.
      const { past: names, all } = namesOf(recordedTool(tool, naming ?? {}));
      record = {
        names,
        meters: [...this.#meters.values()].filter(({ meter }) => matchesAny(all, meter.match)),
        tracks: [...this.#tracks]
          .filter(([{ read, write }]) => matchesAny(names, read) || matchesAny(names, write))
          .map(([{ path }, known]) => ({ path, known })),
        last: noPastCall,
        lastOk: noPastCall,
        completed: [],
        count: 0,
        pending: new KeyedSlotMap(),
      };
      this.#tools.set(key, record);
      for (const [pattern, found] of this.#lookups) if (matchesAnyName(names, pattern)) found.push(record);
    }
    return record;
  }
}

/** Returns the cost of a past call. A call whose arguments do not determine it was made under another policy and costs nothing. */
function costOf(
  { costExpression }: Meter,
  call: Pick<StartedCall, 'arguments' | 'argumentFacts' | 'decided'>,
  reported: number,
): number {
  if (costExpression === undefined) return reported;
  const { costs = {} } = call.argumentFacts ?? {};
  if (Object.hasOwn(costs, costExpression.text)) return costs[costExpression.text] ?? 0;
  try {
    return costOfDecidedCall(call.decided ?? call, costExpression);
  } catch {
    return 0;
  }
}
