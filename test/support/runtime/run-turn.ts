import assert from 'node:assert/strict';
import { contentReader } from '../../../src/pipeline/box-content.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json/json.ts';
import type { Question, Runtime, Turn, TurnEvent } from '../../../src/runtimes/runtime.ts';
import { turnTools } from '../../../src/runtimes/turn-tools.ts';
import type { SuiteBox } from './suite-box.ts';

/** The parameters of a turn; all others have defaults. */
export interface TurnOptions {
  readonly session?: string;
  readonly cwd?: string;
  readonly instructions?: string;
  readonly model?: string;
  readonly memory?: JsonValue;
  readonly fork?: boolean;
  readonly permissionMode?: Turn['permissionMode'];
  readonly signal?: AbortSignal;
  readonly ask?: (questions: readonly Question[]) => JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Called with each event. */
  readonly onEvent?: (event: TurnEvent) => void;
}

/** The events of a turn. */
export interface TurnResult {
  readonly events: readonly TurnEvent[];
  readonly text: string;
  readonly results: readonly Extract<TurnEvent, { type: 'tool_result' }>[];
  readonly errors: readonly Extract<TurnEvent, { type: 'error' }>[];
  readonly memory: JsonValue | undefined;
  readonly reason: string;
}

/** Creates a turn with the tools of the box, as sessions do. */
export function testTurn(
  { box, own }: Pick<SuiteBox, 'box' | 'own'>,
  content: string,
  options: TurnOptions = {},
): Turn {
  const { session = 'session-1', cwd = process.cwd(), model, memory, fork, permissionMode = 'default', ask } = options;
  return {
    session,
    content,
    cwd,
    permissionMode,
    signal: options.signal ?? new AbortController().signal,
    tools: turnTools({
      cwd,
      box,
      own,
      session,
      principal: { id: 'suite', kind: 'agent' },
      permissionMode,
    }),
    serverContent: contentReader(box, { session, principal: { id: 'suite', kind: 'agent' } }),
    ask: async (_, questions) => await ask?.(questions),
    ...(model === undefined ? {} : { model }),
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    ...(memory === undefined ? {} : { memory }),
    ...(fork === undefined ? {} : { fork }),
  };
}

/** Runs a turn to its end. */
export async function runTurn(
  runtime: Runtime,
  box: Pick<SuiteBox, 'box' | 'own'>,
  content: string,
  options: TurnOptions = {},
): Promise<TurnResult> {
  const events: TurnEvent[] = [];
  for await (const event of runtime.turn(testTurn(box, content, options))) {
    events.push(event);
    options.onEvent?.(event);
  }
  assertOrder(events);
  const last = events.at(-1);
  return {
    events,
    text: events.map((event) => (event.type === 'text_delta' ? event.text : '')).join(''),
    results: events.filter((event) => event.type === 'tool_result'),
    errors: events.filter((event) => event.type === 'error'),
    memory: events.findLast((event) => event.type === 'memory')?.memory,
    reason: last?.type === 'done' ? last.reason : 'none',
  };
}

/**
 * Asserts the invariants of every turn: exactly one `done`, at the end; each call has its start, its input and its result once,
 * in this order.
 */
function assertOrder(events: readonly TurnEvent[]): void {
  assert.deepEqual(
    events.flatMap(({ type }, index) => (type === 'done' ? [index] : [])),
    [events.length - 1],
    'a turn ends with its only "done"',
  );
  const states = new Map<string, string>();
  const before: Readonly<Record<string, string | undefined>> = {
    tool_call_start: undefined,
    tool_call_end: 'tool_call_start',
    tool_result: 'tool_call_end',
  };
  for (const event of events) {
    if (!(event.type in before) || !('toolCallId' in event)) continue;
    assert.equal(
      states.get(event.toolCallId),
      before[event.type],
      `${event.type} of ${event.toolCallId} is out of order`,
    );
    states.set(event.toolCallId, event.type);
  }
}
