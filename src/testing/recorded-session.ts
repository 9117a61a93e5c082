import { costKey } from '../pipeline/results/tool-outcome.ts';
import type { ToolInvoked } from '../journal/entries/journal-event.ts';
import type { JournalApi } from '../signalbox/signalbox.ts';
import type { CallOutcome, OutcomeName } from '../core/calls/call-outcome.ts';
import { text } from '../core/tools/content.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Cassette, RecordedCall, RecordedTool } from './cassette.ts';

/** A call of a recorded session. */
export interface SessionCall {
  readonly recorded: ToolInvoked;
  readonly outcome: CallOutcome;
  /** Whether the tool returned a result, which is in the recording. */
  readonly ran: boolean;
}

/** A session, as recorded in the journal. */
export interface RecordedSession {
  readonly session: string;
  readonly calls: readonly SessionCall[];
  /** The recorded calls and results, one cassette per server. */
  readonly cassettes: readonly Cassette[];
}

const ranAs: ReadonlySet<OutcomeName> = new Set(['completed', 'failed']);

/** Reads a session from the journal for a replay. The tools have their recorded names and effects, and accept any arguments. */
export async function recordedSession(
  journal: Pick<JournalApi, 'stream' | 'recording'>,
  session: string,
): Promise<RecordedSession> {
  const calls: SessionCall[] = [];
  for await (const recorded of journal.stream({ session, type: 'ToolInvoked' })) {
    if (recorded.type !== 'ToolInvoked') continue;
    const outcome = (await journal.recording(recorded.callId)) ?? outcomeOf(recorded);
    const didNotRun = recorded.error !== undefined && recorded.error.code !== 'tool-failed';
    const ran = recorded.server !== undefined && ranAs.has(recorded.outcome) && !didNotRun;
    calls.push({ recorded, outcome, ran });
  }
  return { session, calls, cassettes: cassettesOf(calls, `session ${session}`) };
}

/** Returns the recorded outcome. The journal entry itself contains a short text result. */
function outcomeOf({ outcome, output, error }: ToolInvoked): CallOutcome {
  const content = output === '' ? [] : [text(output)];
  if (outcome === 'completed') return { outcome, content };
  return { outcome, content, error: error ?? { code: 'tool-failed', message: output } };
}

function cassettesOf(calls: readonly SessionCall[], file: string): Cassette[] {
  const servers = new Map<string, { tools: Map<string, RecordedTool>; calls: RecordedCall[] }>();
  for (const { recorded, outcome, ran } of calls) {
    const { server, effect = 'irreversible', labels = [] } = recorded;
    if (server === undefined) continue;
    let found = servers.get(server);
    if (found === undefined) servers.set(server, (found = { tools: new Map(), calls: [] }));
    const tool = recorded.tool.slice(`mcp__${server}__`.length);
    const facts = { effect, labels, idempotent: false, annotations: {}, inputSchema: { type: 'object' } };
    found.tools.set(tool, { tool, description: 'From the journal.', ...facts });
    if (!ran) continue;
    const { content, structuredContent, _meta } = outcome;
    const result = {
      content,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(outcome.outcome === 'completed' ? {} : { isError: true }),
      ...(recorded.costUsd === undefined && _meta === undefined ? {} : { _meta: { ..._meta, ...costOf(recorded) } }),
    };
    found.calls.push({ call: tool, arguments: recorded.arguments, result: result as RecordedCall['result'] & object });
  }
  return [...servers].map(([server, found]) => ({
    file,
    server: { signalbox: 1, server, tools: [...found.tools.values()] },
    calls: found.calls,
  }));
}

function costOf({ costUsd }: ToolInvoked): JsonObject {
  return costUsd === undefined ? {} : { [costKey]: costUsd };
}
