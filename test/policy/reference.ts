/**
 * The reference evaluator: decides calls from the whole trace, without indexes, maintained facts or compiled conditions. It is
 * slow, and simple enough to compare with `docs/reference/policy.md`.
 */

export interface Tool {
  readonly name: string;
  readonly server: string;
  readonly effect: 'read' | 'undoable' | 'compensable' | 'irreversible';
  readonly labels: readonly string[];
}

export interface Args {
  readonly path?: string;
  readonly amount?: number;
  readonly text?: string;
}

/** A call that was not denied, and its end if it has ended. */
export interface TracedCall {
  readonly session: string;
  readonly principal: string;
  readonly tool: Tool;
  readonly args: Args;
  end?: {
    readonly seq: number;
    readonly at: number;
    readonly ran: boolean;
    readonly ok: boolean;
    readonly output: string;
    readonly cost: number;
  };
}

export interface ReferenceInput {
  readonly session: string;
  readonly principal: string;
  readonly tool: Tool;
  readonly args: Args;
  readonly now: number;
}

/** A condition in CEL, and the same condition in TypeScript, where `undefined` represents an error. */
export interface ReferenceCondition {
  readonly text: string;
  readonly holds: (input: ReferenceInput, trace: readonly TracedCall[]) => boolean | undefined;
}

export type Answer = 'allow' | 'ask' | 'deny';

export interface ReferenceRule {
  readonly id: string;
  readonly shadow: boolean;
  readonly sessions?: string;
  readonly principals?: string;
  readonly servers?: string;
  readonly answer: Answer;
  readonly kind:
    | { readonly kind: 'match'; readonly match: readonly string[]; readonly when: true | ReferenceCondition }
    | {
        readonly kind: 'requires';
        readonly target: string;
        readonly steps: readonly string[];
        readonly fresh: boolean;
        readonly by?: 'session' | 'principal';
        readonly withinMs: number;
      }
    | { readonly kind: 'readBeforeWrite'; readonly read: readonly string[]; readonly write: readonly string[] }
    | {
        readonly kind: 'limit';
        readonly match: string;
        readonly windowMs?: number;
        readonly by?: 'session' | 'principal';
        readonly calls?: number;
        readonly cost?: number;
        /** The source of the cost: an argument, or the cost that the tool reports. */
        readonly costIs?: 'args.amount' | 'reported';
      }
    | {
        readonly kind: 'flow';
        readonly from: string;
        readonly to: string;
        readonly when?: 'session' | 'value';
        readonly withinMs?: number;
      };
}

const dayMs = 24 * 60 * 60_000;

/** A `*` at the end of a pattern matches any text. */
function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function callsOfSession(input: ReferenceInput, trace: readonly TracedCall[]): readonly TracedCall[] {
  return trace.filter(({ session }) => session === input.session);
}

/** Returns the sequence number of the last successful call in the session, or 0. */
export function lastOkSeq(input: ReferenceInput, trace: readonly TracedCall[], pattern: string): number {
  const seqs = callsOfSession(input, trace).map(({ tool, end }) =>
    matchesPattern(tool.name, pattern) && end?.ok ? end.seq : 0,
  );
  return Math.max(0, ...seqs);
}

/** Returns the same for all sessions of the principal, within a time window. */
function lastOkSeqOfPrincipal(
  input: ReferenceInput,
  trace: readonly TracedCall[],
  pattern: string,
  withinMs: number,
): number {
  const recent = trace.filter(
    ({ principal, end }) => principal === input.principal && end !== undefined && end.at > input.now - withinMs,
  );
  return Math.max(0, ...recent.map(({ tool, end }) => (matchesPattern(tool.name, pattern) && end?.ok ? end.seq : 0)));
}

/** Returns the sequence number of the last call in the session, or 0. A running call is later than all ended ones. */
export function lastSeq(input: ReferenceInput, trace: readonly TracedCall[], pattern: string): number {
  const seqs = callsOfSession(input, trace).map(({ tool, end }) => {
    if (!matchesPattern(tool.name, pattern)) return 0;
    if (end === undefined) return Number.POSITIVE_INFINITY;
    return end.ran ? end.seq : 0;
  });
  return Math.max(0, ...seqs);
}

/** Returns the calls that count toward a limit: running calls, and ended calls that ran in the time window. */
export function countedCalls(
  input: ReferenceInput,
  trace: readonly TracedCall[],
  { match, windowMs, by = 'session' }: { match: string; windowMs?: number; by?: 'session' | 'principal' },
): readonly TracedCall[] {
  return trace.filter((call) => {
    if (call[by] !== input[by] || !matchesPattern(call.tool.name, match)) return false;
    if (call.end === undefined) return true;
    return call.end.ran && (windowMs === undefined || call.end.at > input.now - windowMs);
  });
}

/** Returns the total cost that the tools reported. */
function costOf(calls: readonly TracedCall[]): number {
  return calls.reduce((sum, { end }) => sum + (end?.ran ? end.cost : 0), 0);
}

export function sessionCost(input: ReferenceInput, trace: readonly TracedCall[]): number {
  return costOf(callsOfSession(input, trace));
}

export function sessionLabels(input: ReferenceInput, trace: readonly TracedCall[]): ReadonlySet<string> {
  return new Set(callsOfSession(input, trace).flatMap(({ tool, end }) => (end?.ran ? tool.labels : [])));
}

/** Returns whether a rule applies, or `undefined` for an error. */
function holds({ kind }: ReferenceRule, input: ReferenceInput, trace: readonly TracedCall[]): boolean | undefined {
  const { tool, args } = input;
  switch (kind.kind) {
    case 'match':
      if (!kind.match.some((pattern) => matchesPattern(tool.name, pattern))) return false;
      return kind.when === true || kind.when.holds(input, trace);
    case 'requires': {
      if (!matchesPattern(tool.name, kind.target)) return false;
      const ofSession = (step: string): number => (kind.by === 'principal' ? 0 : lastOkSeq(input, trace, step));
      const ofPrincipal = (step: string): number =>
        kind.by === 'session' ? 0 : lastOkSeqOfPrincipal(input, trace, step, kind.withinMs);
      const done = kind.steps.map(kind.by === 'principal' ? ofPrincipal : ofSession);
      const latest = kind.steps.map((step) => Math.max(ofSession(step), ofPrincipal(step)));
      const minSeq = kind.fresh ? Math.max(ofSession(kind.target), ofPrincipal(kind.target)) : 0;
      return done.some((seq, index) => seq <= (index === 0 ? minSeq : (latest[index - 1] ?? 0)));
    }
    case 'readBeforeWrite': {
      if (!kind.write.includes(tool.name)) return false;
      if (args.path === undefined) return undefined;
      const accesses = callsOfSession(input, trace).filter(
        ({ tool: { name } }) => kind.read.includes(name) || kind.write.includes(name),
      );
      return !accesses.some((call) => call.end?.ok && normalizePath(call.args.path) === normalizePath(args.path));
    }
    case 'limit': {
      if (!matchesPattern(tool.name, kind.match)) return false;
      if (kind.by === undefined)
        return (
          isOverLimit({ ...kind, by: 'session' }, input, trace) ||
          isOverLimit({ ...kind, by: 'principal' }, input, trace)
        );
      return isOverLimit(kind, input, trace);
    }
    case 'flow': {
      if (!tool.labels.includes(kind.to)) return false;
      if (kind.when !== 'value' && sessionLabels(input, trace).has(kind.from)) return true;
      const sources = trace.filter(
        (call) => call.principal === input.principal && call.tool.labels.includes(kind.from),
      );
      const since = input.now - (kind.withinMs ?? dayMs);
      if (kind.when === undefined && sources.some(({ end }) => end?.ran && end.at > since)) return true;
      return sources.some(({ end }) => end?.ran && end.output !== '' && containsValue(args.text ?? '', end.output));
    }
  }
}

type Limit = Extract<ReferenceRule['kind'], { kind: 'limit' }>;

function isOverLimit(kind: Limit, input: ReferenceInput, trace: readonly TracedCall[]): boolean | undefined {
  const { args } = input;
  const calls = countedCalls(input, trace, kind);
  if (kind.calls !== undefined && calls.length >= kind.calls) return true;
  if (kind.cost === undefined) return false;
  if (kind.costIs === 'reported') return costOf(calls) >= kind.cost;
  if (args.amount === undefined) return undefined;
  const spent = calls.reduce((sum, call) => sum + (call.args.amount ?? 0), 0);
  return spent + args.amount > kind.cost;
}

function normalizePath(path: string | undefined): string | undefined {
  return path?.replace('./', '');
}

/** Returns whether a text contains a value, unchanged or encoded. */
function containsValue(text: string, value: string): boolean {
  const encodings = [
    value,
    value.toUpperCase(),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('hex'),
  ];
  return encodings.some((encoded) => text.includes(encoded));
}

/** Returns the answer of one rule, which is `deny` if its condition fails with an error. */
function answerOf(rule: ReferenceRule, input: ReferenceInput, trace: readonly TracedCall[]): Answer | undefined {
  if (rule.sessions !== undefined && !matchesPattern(input.session, rule.sessions)) return undefined;
  if (rule.principals !== undefined && !matchesPattern(input.principal, rule.principals)) return undefined;
  if (rule.servers !== undefined && !matchesPattern(input.tool.server, rule.servers)) return undefined;
  const answer = holds(rule, input, trace);
  if (answer === undefined) return 'deny';
  return answer ? rule.answer : undefined;
}

export interface ReferenceDecision {
  readonly answer: Answer;
  readonly rule: string;
  readonly shadow: readonly string[];
}

export function decideByReference(
  rules: readonly ReferenceRule[],
  input: ReferenceInput,
  trace: readonly TracedCall[],
): ReferenceDecision {
  const answers = rules.map((rule) => ({ rule, answer: answerOf(rule, input, trace) }));
  const shadow = answers.flatMap(({ rule, answer }) => (rule.shadow && answer ? [`${rule.id} ${answer}`] : []));
  for (const answer of ['deny', 'ask', 'allow'] as const) {
    const first = answers.find((each) => !each.rule.shadow && each.answer === answer);
    if (first !== undefined) return { answer, rule: first.rule.id, shadow };
  }
  const { effect } = input.tool;
  return { answer: effect === 'read' ? 'allow' : 'ask', rule: `default:${effect}`, shadow };
}
