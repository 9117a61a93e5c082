/**
 * Decides calls straight from the whole trace: no index, no facts that are kept up to date, no compiled conditions. Slow, and
 * plain enough to be read against `docs/reference/policy.md`.
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

/** A call that was let through, and how it ended if it has. */
export interface Record {
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

export interface Question {
  readonly session: string;
  readonly principal: string;
  readonly tool: Tool;
  readonly args: Args;
  readonly now: number;
}

/** A condition in CEL, and what it means, in plain TypeScript. `undefined` stands for an error. */
export interface Meaning {
  readonly text: string;
  readonly holds: (question: Question, trace: readonly Record[]) => boolean | undefined;
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
    | { readonly kind: 'match'; readonly match: readonly string[]; readonly when: true | Meaning }
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
        /** What counts: an argument, or what tools say themselves. */
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

/** `*` at the end stands for anything. */
function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function own(question: Question, trace: readonly Record[]): readonly Record[] {
  return trace.filter(({ session }) => session === question.session);
}

export function lastOk(question: Question, trace: readonly Record[], pattern: string): number {
  const seqs = own(question, trace).map(({ tool, end }) => (fits(tool.name, pattern) && end?.ok ? end.seq : 0));
  return Math.max(0, ...seqs);
}

/** The same over all sessions of the principal, in a window of time. */
function principalLastOk(question: Question, trace: readonly Record[], pattern: string, withinMs: number): number {
  const recent = trace.filter(
    ({ principal, end }) => principal === question.principal && end !== undefined && end.at > question.now - withinMs,
  );
  return Math.max(0, ...recent.map(({ tool, end }) => (fits(tool.name, pattern) && end?.ok ? end.seq : 0)));
}

export function last(question: Question, trace: readonly Record[], pattern: string): number {
  const seqs = own(question, trace).map(({ tool, end }) => {
    if (!fits(tool.name, pattern)) return 0;
    if (end === undefined) return Number.POSITIVE_INFINITY;
    return end.ran ? end.seq : 0;
  });
  return Math.max(0, ...seqs);
}

export function counted(
  question: Question,
  trace: readonly Record[],
  { match, windowMs, by = 'session' }: { match: string; windowMs?: number; by?: 'session' | 'principal' },
): readonly Record[] {
  return trace.filter((record) => {
    if (record[by] !== question[by] || !fits(record.tool.name, match)) return false;
    if (record.end === undefined) return true;
    return record.end.ran && (windowMs === undefined || record.end.at > question.now - windowMs);
  });
}

/** What the tools of calls that have run say these cost. */
function costOf(records: readonly Record[]): number {
  return records.reduce((sum, { end }) => sum + (end?.ran ? end.cost : 0), 0);
}

export function sessionCost(question: Question, trace: readonly Record[]): number {
  return costOf(own(question, trace));
}

export function labelsOf(question: Question, trace: readonly Record[]): ReadonlySet<string> {
  return new Set(own(question, trace).flatMap(({ tool, end }) => (end?.ran ? tool.labels : [])));
}

function holds({ kind }: ReferenceRule, question: Question, trace: readonly Record[]): boolean | undefined {
  const { tool, args } = question;
  switch (kind.kind) {
    case 'match':
      if (!kind.match.some((pattern) => fits(tool.name, pattern))) return false;
      return kind.when === true || kind.when.holds(question, trace);
    case 'requires': {
      if (!fits(tool.name, kind.target)) return false;
      const ofSession = (step: string): number => (kind.by === 'principal' ? 0 : lastOk(question, trace, step));
      const ofPrincipal = (step: string): number =>
        kind.by === 'session' ? 0 : principalLastOk(question, trace, step, kind.withinMs);
      const done = kind.steps.map(kind.by === 'principal' ? ofPrincipal : ofSession);
      const latest = kind.steps.map((step) => Math.max(ofSession(step), ofPrincipal(step)));
      const before = kind.fresh ? Math.max(ofSession(kind.target), ofPrincipal(kind.target)) : 0;
      return done.some((seq, index) => seq <= (index === 0 ? before : (latest[index - 1] ?? 0)));
    }
    case 'readBeforeWrite': {
      if (!kind.write.includes(tool.name)) return false;
      if (args.path === undefined) return undefined;
      const known = own(question, trace).filter(
        ({ tool: { name } }) => kind.read.includes(name) || kind.write.includes(name),
      );
      return !known.some(({ args: before, end }) => end?.ok && plain(before.path) === plain(args.path));
    }
    case 'limit': {
      if (!fits(tool.name, kind.match)) return false;
      if (kind.by === undefined)
        return (
          isOverLimit({ ...kind, by: 'session' }, question, trace) ||
          isOverLimit({ ...kind, by: 'principal' }, question, trace)
        );
      return isOverLimit(kind, question, trace);
    }
    case 'flow': {
      if (!tool.labels.includes(kind.to)) return false;
      if (kind.when !== 'value' && labelsOf(question, trace).has(kind.from)) return true;
      const seen = trace.filter(
        (record) => record.principal === question.principal && record.tool.labels.includes(kind.from),
      );
      const since = question.now - (kind.withinMs ?? dayMs);
      if (kind.when === undefined && seen.some(({ end }) => end?.ran && end.at > since)) return true;
      return seen.some(({ end }) => end?.ran && end.output !== '' && carries(args.text ?? '', end.output));
    }
  }
}

type Limit = Extract<ReferenceRule['kind'], { kind: 'limit' }>;

function isOverLimit(kind: Limit, question: Question, trace: readonly Record[]): boolean | undefined {
  const { args } = question;
  const records = counted(question, trace, kind);
  if (kind.calls !== undefined && records.length >= kind.calls) return true;
  if (kind.cost === undefined) return false;
  if (kind.costIs === 'reported') return costOf(records) >= kind.cost;
  if (args.amount === undefined) return undefined;
  const spent = records.reduce((sum, record) => sum + (record.args.amount ?? 0), 0);
  return spent + args.amount > kind.cost;
}

function plain(path: string | undefined): string | undefined {
  return path?.replace('./', '');
}

/** The value as it is, or encoded. */
function carries(text: string, value: string): boolean {
  const forms = [value, value.toUpperCase(), Buffer.from(value).toString('base64'), Buffer.from(value).toString('hex')];
  return forms.some((form) => text.includes(form));
}

/** The answer of one rule: `deny` when it cannot be told whether it holds. */
function answerOf(rule: ReferenceRule, question: Question, trace: readonly Record[]): Answer | undefined {
  if (rule.sessions !== undefined && !fits(question.session, rule.sessions)) return undefined;
  if (rule.principals !== undefined && !fits(question.principal, rule.principals)) return undefined;
  if (rule.servers !== undefined && !fits(question.tool.server, rule.servers)) return undefined;
  const answer = holds(rule, question, trace);
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
  question: Question,
  trace: readonly Record[],
): ReferenceDecision {
  const said = rules.map((rule) => ({ rule, answer: answerOf(rule, question, trace) }));
  const shadow = said.flatMap(({ rule, answer }) => (rule.shadow && answer ? [`${rule.id} ${answer}`] : []));
  for (const answer of ['deny', 'ask', 'allow'] as const) {
    const first = said.find((each) => !each.rule.shadow && each.answer === answer);
    if (first !== undefined) return { answer, rule: first.rule.id, shadow };
  }
  const { effect } = question.tool;
  return { answer: effect === 'read' ? 'allow' : 'ask', rule: `default:${effect}`, shadow };
}
