import type { EntryDraft } from '../../../src/journal/entries/stored-entry.ts';
import type { Store } from '../../../src/journal/store/store.ts';
import type { OutcomeName } from '../../../src/core/calls/call-outcome.ts';
import type { Decision } from '../../../src/core/calls/decision.ts';
import { newCallId } from '../../../src/core/identifiers.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';
import type { Effect } from '../../../src/core/tools/tool.ts';
import { seeded } from '../seeded.ts';

/** Options of `seedJournal`. */
export interface SeedOptions {
  readonly calls: number;
  /** The end of the time span of the calls, in milliseconds since 1970. */
  readonly until?: number;
  /** The length of the time span (default: a week). */
  readonly spanMs?: number;
  readonly sessions?: number;
  readonly seed?: number;
}

interface SeededTool {
  readonly server: string;
  readonly tool: string;
  readonly effect: Effect;
  /** The percentage of calls of this tool. */
  readonly share: number;
  /** The typical duration in milliseconds. */
  readonly typicalMs: number;
  arguments(index: number): JsonObject;
}

const tools: readonly SeededTool[] = [
  ['files', 'read_text_file', 'read', 34, 2, (index: number) => ({ path: `src/part-${index % 400}/index.ts` })],
  ['files', 'list_directory', 'read', 12, 1, (index: number) => ({ path: `src/part-${index % 400}` })],
  [
    'files',
    'write_file',
    'undoable',
    10,
    6,
    (index: number) => ({
      path: `src/part-${index % 400}/index.ts`,
      content: `export const part = ${index};\n`.repeat(4),
    }),
  ],
  ['search', 'web_search', 'read', 14, 420, (index: number) => ({ query: `how to mend part ${index % 900}` })],
  ['git', 'git_status', 'read', 9, 18, () => ({ repo_path: '.' })],
  ['git', 'git_commit', 'compensable', 4, 45, (index: number) => ({ repo_path: '.', message: `Part ${index}` })],
  ['ci', 'run_tests', 'read', 7, 9000, (index: number) => ({ suite: `suite-${index % 12}` })],
  [
    'ci',
    'deploy',
    'irreversible',
    2,
    2600,
    (index: number) => ({ target: index % 3 === 0 ? 'production' : 'staging' }),
  ],
  [
    'mail',
    'send_mail',
    'irreversible',
    3,
    240,
    (index: number) => ({ to: `person-${index % 70}@example.com`, subject: `Part ${index}` }),
  ],
  ['memory', 'add_observations', 'undoable', 5, 3, (index: number) => ({ observations: [`part ${index} is mended`] })],
].map(([server, tool, effect, share, typicalMs, argumentsOf]) => ({
  server,
  tool,
  effect,
  share,
  typicalMs,
  arguments: argumentsOf,
})) as SeededTool[];

const batchSize = 1000;

/**
 * Fills a journal with varied calls of several servers, sessions and principals, oldest first. Deterministic for a seed, except
 * for the ids.
 */
export async function seedJournal(store: Store, seeding: SeedOptions): Promise<void> {
  const { calls, until = Date.now(), spanMs = 7 * 86_400_000, sessions = 200, seed = 1 } = seeding;
  const random = seeded(seed);
  let drafts: EntryDraft[] = [];
  for (let index = 0; index < calls; index += 1) {
    const at = Math.floor(until - spanMs + ((index + random()) * spanMs) / calls);
    drafts.push(...callOf(index, at, Math.floor(random() * sessions), random));
    if (drafts.length < batchSize && index < calls - 1) continue;
    await store.append(drafts);
    drafts = [];
  }
}

/** All calls except reads record their intent before their outcome. */
function callOf(index: number, at: number, session: number, random: () => number): EntryDraft[] {
  const tool = pick(random() * 100);
  const decision = decisionOf(tool, random());
  const outcome = outcomeOf(decision, random());
  const durationMs = Number((tool.typicalMs * Math.exp((random() + random() + random() - 1.5) * 1.6)).toFixed(3));
  const facts = {
    principal: { id: `user-${session % 5}/${session % 2 === 0 ? 'claude' : 'cursor'}`, kind: 'agent' },
    arguments: tool.arguments(index),
    server: tool.server,
    adapter: `mcp:${tool.server}`,
    effect: tool.effect,
    definitionHash: '0'.repeat(64),
    decision,
  };
  const columns = {
    call: newCallId(),
    session: session % 4 === 0 ? '' : `session_${session}`,
    tool: `mcp__${tool.server}__${tool.tool}`,
  };
  const ended: EntryDraft = {
    ...columns,
    type: 'ToolInvoked',
    at,
    outcome,
    body: JSON.stringify({
      ...facts,
      ...(tool.effect === 'undoable' && outcome === 'completed' ? { changes: changesOf(index) } : {}),
      durationMs: outcome === 'denied' ? 0.2 : durationMs,
      output: outcome === 'completed' ? `done with ${index}\n`.repeat(1 + (index % 12)) : `not done: ${outcome}`,
      ...(outcome === 'completed' ? {} : { error: { code: 'tool-failed', message: `not done: ${outcome}` } }),
    }),
  };
  if (tool.effect === 'read') return [ended];
  return [{ ...columns, type: 'CallStarted', at: at - 1, outcome: '', body: JSON.stringify(facts) }, ended];
}

function pick(point: number): SeededTool {
  let rest = point;
  const found = tools.find(({ share }) => (rest -= share) < 0) ?? tools[0];
  if (found === undefined) throw new Error('there are no tools to seed with');
  return found;
}

function decisionOf({ effect }: SeededTool, chance: number): Decision {
  if (chance < 0.02)
    return { answer: 'deny', rule: 'no-night-work', reason: 'nobody is awake to help', at: 'policies.yaml:3' };
  if (effect === 'read') return { answer: 'allow', rule: 'default', reason: 'reads are allowed' };
  return { answer: 'ask', rule: 'default', reason: `${effect} calls ask` };
}

function outcomeOf({ answer }: Decision, chance: number): OutcomeName {
  if (answer === 'deny') return 'denied';
  if (chance < 0.93) return 'completed';
  if (chance < 0.97) return 'failed';
  if (chance < 0.985) return 'timed-out';
  return chance < 0.997 ? 'cancelled' : 'unknown';
}

function changesOf(index: number): readonly JsonObject[] {
  const path = `src/part-${index % 400}/index.ts`;
  const diff = `@@ -1 +1 @@\n-export const part = ${index - 1};\n+export const part = ${index};\n`;
  return [{ workspace: '.', path, kind: 'modified', diff }];
}
