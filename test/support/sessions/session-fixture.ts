import type { InternalSignalbox } from '../../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../src/signalbox/create-signalbox.ts';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { modelRuntime } from '../../../src/runtimes/model/model-runtime.ts';
import { runtimeTools } from '../../../src/runtimes/runtime-tools.ts';
import type { Runtime, Turn, TurnEvent } from '../../../src/runtimes/runtime.ts';
import type { Agent } from '../../../src/sessions/agent.ts';
import { type SessionsOptions, createSessions } from '../../../src/sessions/create-sessions.ts';
import type { SessionEvent } from '../../../src/sessions/events/session-event.ts';
import type { Sessions } from '../../../src/sessions/sessions.ts';
import { type SignalboxOptions, defineTool, localServer } from '../../../src/index.ts';

/** Runs a scripted turn. */
export type ScriptedTurn = (turn: Turn) => AsyncIterable<TurnEvent>;

/** Sessions with a real box and a real store, the demo model and a scripted agent. */
export interface SessionFixture {
  readonly directory: string;
  readonly box: InternalSignalbox;
  readonly sessions: Sessions;
  /** The texts written by the tool that needs approval. */
  readonly notes: readonly string[];
  /** The script of the agent `scripted`. */
  script: ScriptedTurn;
  /** The configured agents. */
  agents: readonly string[];
  /** Closes everything and reopens it on the same file. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionFixtureOptions extends Partial<Omit<SessionsOptions, 'box' | 'agents'>> {
  readonly box?: SignalboxOptions;
  /** Agents in addition to `demo` and `scripted`. */
  readonly moreAgents?: readonly Omit<Agent, 'runtimeTools'>[];
}

export const ann = { id: 'ann', kind: 'human' } as const;

export async function openSessionFixture(options: SessionFixtureOptions = {}): Promise<SessionFixture> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-sessions-')));
  const notes: string[] = [];
  const { box: boxOptions, moreAgents = [], ...sessionOptions } = options;
  const scripted: Runtime = {
    name: 'scripted',
    turn: (turn) => fixture.script(turn),
    close: () => Promise.resolve(),
  };
  const open = async (): Promise<{ box: InternalSignalbox; sessions: Sessions }> => {
    const own = runtimeTools('runtime');
    const box = await openSignalbox({
      data: join(directory, 'data'),
      ...boxOptions,
      servers: [notesServer(notes), own, ...(boxOptions?.servers ?? [])],
    });
    const all: Agent[] = [
      { name: 'demo', runtime: modelRuntime(), runtimeTools: own, model: 'demo' },
      { name: 'scripted', runtime: scripted, runtimeTools: own },
      ...moreAgents.map((agent) => ({ ...agent, runtimeTools: own })),
    ];
    const agents = {
      defaultName: 'demo',
      list: () => all.filter(({ name }) => fixture.agents.includes(name)),
    };
    return { box, sessions: await createSessions({ box, agents, cwd: directory, ...sessionOptions }) };
  };
  let opened = await open();
  const closeBoth = async (): Promise<void> => {
    await opened.sessions.close({ graceMs: 0 });
    await opened.box.close({ graceMs: 0 });
  };
  const fixture: SessionFixture = {
    directory,
    get box() {
      return opened.box;
    },
    get sessions() {
      return opened.sessions;
    },
    notes,
    script: () => textTurn(),
    agents: ['demo', 'scripted', ...moreAgents.map(({ name }) => name)],
    async reopen() {
      await closeBoth();
      opened = await open();
    },
    async close() {
      await closeBoth();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** A turn that emits these pieces and ends. */
export async function* textTurn(...pieces: readonly string[]): AsyncGenerator<TurnEvent> {
  for (const text of pieces) {
    yield { type: 'text_delta', text };
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield { type: 'done', reason: 'end' };
}

/** A turn that emits one piece and runs until it is interrupted. */
export async function* untilInterrupted({ signal }: Turn, text = 'waiting'): AsyncGenerator<TurnEvent> {
  yield { type: 'text_delta', text };
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  yield { type: 'done', reason: 'interrupted' };
}

/** Returns the events after `after` up to the first match, including it. Rejects if there is none. */
export async function eventsUntil(
  sessions: Sessions,
  id: string,
  matches: (event: SessionEvent) => boolean,
  after?: number,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  const signal = AbortSignal.timeout(20_000);
  for await (const event of sessions.events(id, { signal, ...(after === undefined ? {} : { after }) })) {
    events.push(event);
    if (matches(event)) return events;
  }
  const last = typesOf(events.slice(-10)).join(', ');
  throw new Error(`no event matched; there were ${events.length} events, the last: ${last}`);
}

/** Collects all values of an iterable. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const collected: Value[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

/** Sends a message and returns all events of its turn. */
export async function runTurn(sessions: Sessions, id: string, content: string): Promise<SessionEvent[]> {
  const { afterSeq, turnId } = await sessions.send(id, content, ann);
  let hasBegun = false;
  const events = await eventsUntil(
    sessions,
    id,
    (event) => {
      hasBegun ||= event.type === 'user_message' && event.turnId === turnId;
      return hasBegun && event.type === 'done';
    },
    afterSeq,
  );
  return events.slice(events.findIndex((event) => event.type === 'user_message' && event.turnId === turnId));
}

export function textOf(events: readonly SessionEvent[]): string {
  return events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
}

export function typesOf(events: readonly SessionEvent[]): string[] {
  return events.map(({ type }) => type);
}

function notesServer(notes: string[]): ReturnType<typeof localServer> {
  return localServer({
    name: 'notes',
    tools: [
      defineTool({
        name: 'write',
        description: 'Writes a note.',
        input: z.object({ text: z.string() }),
        effect: 'undoable',
        run: ({ text }) => {
          notes.push(text);
          return `noted ${text}`;
        },
      }),
      defineTool({
        name: 'count',
        description: 'Counts how often it was called in this session.',
        input: z.object({}),
        effect: 'read',
        run: (_, { state }) => {
          const count = Number(state.get('count') ?? 0) + 1;
          state.set('count', count);
          return `call ${count}`;
        },
      }),
    ],
  });
}
