import fc from 'fast-check';
import {
  type Answer,
  type Args,
  type ReferenceCondition,
  type ReferenceRule,
  type Tool,
  countedCalls,
  lastOkSeq,
  lastSeq,
  sessionCost,
  sessionLabels,
} from './reference.ts';

const tools: readonly Tool[] = [
  { name: 'mcp__files__read', server: 'files', effect: 'read', labels: [] },
  { name: 'mcp__files__write', server: 'files', effect: 'undoable', labels: [] },
  { name: 'mcp__ci__build', server: 'ci', effect: 'compensable', labels: [] },
  { name: 'mcp__ci__deploy', server: 'ci', effect: 'irreversible', labels: ['external'] },
  { name: 'mcp__notes__get', server: 'notes', effect: 'read', labels: ['private'] },
  { name: 'mcp__mail__send', server: 'mail', effect: 'irreversible', labels: ['external', 'slow'] },
];
const names = tools.map(({ name }) => name);
const globs = ['*', 'mcp__files__*', 'mcp__ci__*', 'mcp__none__*'];
const secrets = ['akia7q2m9x4tz81v', 'the garden gate is always left open on a friday evening', 'jo.doe@example.org'];
const pattern = fc.constantFrom(...names, ...names, ...globs);
const minute = 60_000;
const scope = fc.constantFrom('session' as const, 'principal' as const);

export const referenceConditions: readonly ReferenceCondition[] = [
  { text: 'args.amount > 3', holds: ({ args }) => (args.amount === undefined ? undefined : args.amount > 3) },
  { text: 'has(args.amount) && args.amount > 3', holds: ({ args }) => (args.amount ?? 0) > 3 },
  { text: "tool.effect == 'irreversible'", holds: ({ tool }) => tool.effect === 'irreversible' },
  { text: "'external' in tool.labels", holds: ({ tool }) => tool.labels.includes('external') },
  { text: "principal.id == 'ann'", holds: ({ principal }) => principal === 'ann' },
  { text: "session.id == 's1'", holds: ({ session }) => session === 's1' },
  { text: "'private' in session.labels", holds: (input, trace) => sessionLabels(input, trace).has('private') },
  {
    text: "!(session.lastOk('mcp__ci__build').seq > session.last('mcp__files__write').seq)",
    holds: (input, trace) => !(lastOkSeq(input, trace, 'mcp__ci__build') > lastSeq(input, trace, 'mcp__files__write')),
  },
  {
    text: "session.last('mcp__ci__*').seq == 0",
    holds: (input, trace) => lastSeq(input, trace, 'mcp__ci__*') === 0,
  },
  {
    text: "session.count('mcp__files__*') >= 2",
    holds: (input, trace) => countedCalls(input, trace, { match: 'mcp__files__*' }).length >= 2,
  },
  {
    text: "session.count('*', '2m') >= 3",
    holds: (input, trace) => countedCalls(input, trace, { match: '*', windowMs: 2 * minute }).length >= 3,
  },
  {
    text: 'session.hasRead(args.path)',
    holds: ({ args, session }, trace) => {
      if (args.path === undefined) return undefined;
      const path = args.path.replace('./', '');
      return trace.some(
        (call) =>
          call.session === session &&
          call.tool.effect === 'read' &&
          call.end?.ok === true &&
          call.args.path?.replace('./', '') === path,
      );
    },
  },
  { text: 'session.cost > 2.0', holds: (input, trace) => sessionCost(input, trace) > 2 },
  { text: "timestamp('1970-01-01T00:05:00Z') < now", holds: ({ now }) => now > 5 * minute },
  { text: 'args.amount + 1 > args.missing', holds: () => undefined },
];

const kind: fc.Arbitrary<ReferenceRule['kind']> = fc.oneof(
  fc.record({
    kind: fc.constant('match' as const),
    match: fc.array(pattern, { minLength: 1, maxLength: 2 }),
    when: fc.oneof(
      { weight: 1, arbitrary: fc.constant(true as const) },
      { weight: 6, arbitrary: fc.constantFrom(...referenceConditions) },
    ),
  }),
  fc.record(
    {
      kind: fc.constant('requires' as const),
      target: fc.constantFrom('mcp__ci__deploy', 'mcp__mail__*'),
      steps: fc.array(pattern, { minLength: 1, maxLength: 2 }),
      fresh: fc.boolean(),
      by: scope,
      withinMs: fc.constantFrom(minute, 3 * minute),
    },
    { requiredKeys: ['kind', 'target', 'steps', 'fresh', 'withinMs'] },
  ),
  fc.record({
    kind: fc.constant('readBeforeWrite' as const),
    read: fc.constant(['mcp__files__read']),
    write: fc.constant(['mcp__files__write']),
  }),
  fc.record(
    {
      kind: fc.constant('limit' as const),
      match: pattern,
      by: fc.constant('session' as const),
      windowMs: fc.constantFrom(minute, 3 * minute),
      calls: fc.integer({ min: 0, max: 3 }),
    },
    { requiredKeys: ['kind', 'match', 'calls'] },
  ),
  fc.record(
    {
      kind: fc.constant('limit' as const),
      match: pattern,
      by: scope,
      windowMs: fc.constantFrom(minute, 3 * minute),
      cost: fc.integer({ min: 0, max: 12 }),
      costIs: fc.constantFrom('args.amount' as const, 'reported' as const),
    },
    { requiredKeys: ['kind', 'match', 'windowMs', 'cost', 'costIs'] },
  ),
  fc.record(
    {
      kind: fc.constant('flow' as const),
      from: fc.constantFrom('private', 'slow'),
      to: fc.constant('external'),
      when: fc.constantFrom('session' as const, 'value' as const),
      withinMs: fc.constantFrom(minute, 3 * minute),
    },
    { requiredKeys: ['kind', 'from', 'to'] },
  ),
);

/** Generates `undefined` in five of six cases. */
const optional = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const oneRule = fc.tuple(
  kind,
  fc.constantFrom<Answer>('deny', 'ask', 'allow'),
  fc.integer({ min: 0, max: 4 }),
  optional(fc.constantFrom('s1', 's*')),
  optional(fc.constantFrom('ann', 'b*')),
  optional(fc.constantFrom('ci', 'files')),
);

/** One to four rules of any kind. */
export const rules: fc.Arbitrary<readonly ReferenceRule[]> = fc
  .array(oneRule, { minLength: 1, maxLength: 4 })
  .map((tuples) =>
    tuples.map(([ruleKind, answer, shadowDice, sessions, principals, servers], index) => ({
      id: `r${index}`,
      shadow: shadowDice === 0,
      // Only `match` rules can allow.
      answer: ruleKind.kind === 'match' || answer !== 'allow' ? answer : 'deny',
      kind: ruleKind,
      ...(sessions === undefined ? {} : { sessions }),
      ...(principals === undefined ? {} : { principals }),
      ...(servers === undefined ? {} : { servers }),
    })),
  );

/** One call of a trace, and its end. */
export interface Step {
  readonly tool: Tool;
  readonly args: Args;
  readonly session: string;
  readonly principal: string;
  /** The time since the previous call. */
  readonly waitMs: number;
  readonly ending: 'ok' | 'failed' | 'not-run';
  /** 0 for a call that ends immediately, else the number of steps after which it ends. */
  readonly durationSteps: number;
  readonly output: string;
  /** The cost that the tool reports. */
  readonly cost: number;
}

const value = fc.constantFrom(...secrets);
const text = fc.oneof(
  fc.constantFrom('hello', ''),
  value.map((secret) => `see: ${secret}.`),
  value.map((secret) => secret.toUpperCase()),
  value.map((secret) => `x=${Buffer.from(secret).toString('base64')}`),
  value.map((secret) => Buffer.from(secret).toString('hex')),
);

const step: fc.Arbitrary<Step> = fc.record({
  tool: fc.constantFrom(...tools),
  args: fc.record(
    { path: fc.constantFrom('a', './a', 'b'), amount: fc.integer({ min: 0, max: 6 }), text },
    { requiredKeys: [] },
  ),
  session: fc.constantFrom('s1', 's1', 's2'),
  principal: fc.constantFrom('ann', 'ann', 'bob'),
  waitMs: fc.constantFrom(0, 1, minute / 2, minute, 2 * minute),
  ending: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'not-run'),
  durationSteps: fc.constantFrom(0, 0, 0, 1, 3),
  output: fc.oneof(fc.constant(''), value),
  // Multiples of 0.5 add up without rounding errors.
  cost: fc.constantFrom(0, 0.5, 1, 4.5),
});

/** Three to nine calls in order. */
export const trace: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 3, maxLength: 9 });
