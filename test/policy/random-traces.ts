import fc from 'fast-check';
import {
  type Answer,
  type Args,
  type Meaning,
  type ReferenceRule,
  type Tool,
  counted,
  labelsOf,
  last,
  lastOk,
  sessionCost,
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

export const meanings: readonly Meaning[] = [
  { text: 'args.amount > 3', holds: ({ args }) => (args.amount === undefined ? undefined : args.amount > 3) },
  { text: 'has(args.amount) && args.amount > 3', holds: ({ args }) => (args.amount ?? 0) > 3 },
  { text: "tool.effect == 'irreversible'", holds: ({ tool }) => tool.effect === 'irreversible' },
  { text: "'external' in tool.labels", holds: ({ tool }) => tool.labels.includes('external') },
  { text: "principal.id == 'ann'", holds: ({ principal }) => principal === 'ann' },
  { text: "session.id == 's1'", holds: ({ session }) => session === 's1' },
  { text: "'private' in session.labels", holds: (question, trace) => labelsOf(question, trace).has('private') },
  {
    text: "!(session.lastOk('mcp__ci__build').seq > session.last('mcp__files__write').seq)",
    holds: (question, trace) =>
      !(lastOk(question, trace, 'mcp__ci__build') > last(question, trace, 'mcp__files__write')),
  },
  {
    text: "session.last('mcp__ci__*').seq == 0",
    holds: (question, trace) => last(question, trace, 'mcp__ci__*') === 0,
  },
  {
    text: "session.count('mcp__files__*') >= 2",
    holds: (question, trace) => counted(question, trace, { match: 'mcp__files__*' }).length >= 2,
  },
  {
    text: "session.count('*', '2m') >= 3",
    holds: (question, trace) => counted(question, trace, { match: '*', windowMs: 2 * minute }).length >= 3,
  },
  {
    text: 'session.hasRead(args.path)',
    holds: ({ args, session }, trace) => {
      if (args.path === undefined) return undefined;
      const path = args.path.replace('./', '');
      return trace.some(
        (record) =>
          record.session === session &&
          record.tool.effect === 'read' &&
          record.end?.ok === true &&
          record.args.path?.replace('./', '') === path,
      );
    },
  },
  { text: 'session.cost > 2.0', holds: (question, trace) => sessionCost(question, trace) > 2 },
  { text: "timestamp('1970-01-01T00:05:00Z') < now", holds: ({ now }) => now > 5 * minute },
  { text: 'args.amount + 1 > args.missing', holds: () => undefined },
];

const kind: fc.Arbitrary<ReferenceRule['kind']> = fc.oneof(
  fc.record({
    kind: fc.constant('match' as const),
    match: fc.array(pattern, { minLength: 1, maxLength: 2 }),
    when: fc.oneof(
      { weight: 1, arbitrary: fc.constant(true as const) },
      { weight: 6, arbitrary: fc.constantFrom(...meanings) },
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

const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const oneRule = fc.tuple(
  kind,
  fc.constantFrom<Answer>('deny', 'ask', 'allow'),
  fc.integer({ min: 0, max: 4 }),
  sometimes(fc.constantFrom('s1', 's*')),
  sometimes(fc.constantFrom('ann', 'b*')),
  sometimes(fc.constantFrom('ci', 'files')),
);

/** A few rules of any kind. */
export const rules: fc.Arbitrary<readonly ReferenceRule[]> = fc
  .array(oneRule, { minLength: 1, maxLength: 4 })
  .map((made) =>
    made.map(([what, answer, dice, sessions, principals, servers], index) => ({
      id: `r${index}`,
      shadow: dice === 0,
      // Shorthand kinds deny or ask.
      answer: what.kind === 'match' || answer !== 'allow' ? answer : 'deny',
      kind: what,
      ...(sessions === undefined ? {} : { sessions }),
      ...(principals === undefined ? {} : { principals }),
      ...(servers === undefined ? {} : { servers }),
    })),
  );

/** One call of a trace: who makes it, how it would end, and how many calls later. */
export interface Step {
  readonly tool: Tool;
  readonly args: Args;
  readonly session: string;
  readonly principal: string;
  readonly waitMs: number;
  readonly fate: 'ok' | 'failed' | 'not-run';
  readonly lasts: number;
  readonly output: string;
  /** What the tool says it cost. */
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
  fate: fc.constantFrom('ok', 'ok', 'ok', 'failed', 'not-run'),
  lasts: fc.constantFrom(0, 0, 0, 1, 3),
  output: fc.oneof(fc.constant(''), value),
  // Halves add up without dust.
  cost: fc.constantFrom(0, 0.5, 1, 4.5),
});

/** Calls one after the other. */
export const trace: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 3, maxLength: 9 });
