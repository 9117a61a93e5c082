import type { ModelMessage } from 'ai';
import { type JsonValue, isJsonObject } from '../../core/json/json.ts';

/** The conversation as it is stored between turns. */
interface Memory {
  readonly version: 1;
  readonly messages: readonly ModelMessage[];
}

/** The maximum size in characters of JSON: about 100,000 tokens. */
const defaultMemoryCharacters = 400_000;

/** Parses the stored conversation; returns an empty one for memory of another runtime. */
export function parseMemory(memory: JsonValue | undefined): ModelMessage[] {
  if (!isJsonObject(memory) || memory['version'] !== 1 || !Array.isArray(memory['messages'])) return [];
  return [...(memory as unknown as Memory).messages];
}

/** Converts a conversation to memory. Over the maximum size, whole turns are dropped from the start, so that a result never loses its call. */
export function toMemory(messages: readonly ModelMessage[], maxCharacters = defaultMemoryCharacters): JsonValue {
  const sizes = messages.map((message) => JSON.stringify(message).length);
  let size = sizes.reduce((sum, one) => sum + one, 0);
  let start = 0;
  while (size > maxCharacters) {
    const next = messages.findIndex(({ role }, index) => index > start && role === 'user');
    if (next === -1) break;
    for (; start < next; start += 1) size -= sizes[start] ?? 0;
  }
  const kept = messages.slice(start);
  return plain({ version: 1, messages: size > maxCharacters ? withoutSteps(kept) : kept });
}

/** Reduces a turn that is too large on its own to its question and final answer. */
function withoutSteps(turn: readonly ModelMessage[]): ModelMessage[] {
  const [asked] = turn;
  const texts = turn.at(-1)?.role === 'assistant' ? textOf(turn.at(-1)) : '';
  const answered = `[The steps of this turn were left out, to save room.]${texts === '' ? '' : `\n${texts}`}`;
  return asked === undefined ? [] : [asked, { role: 'assistant', content: answered }];
}

function textOf(message: ModelMessage | undefined): string {
  if (message?.role !== 'assistant') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Removes properties that are undefined, as JSON does. */
function plain(memory: Memory): JsonValue {
  return JSON.parse(JSON.stringify(memory)) as JsonValue;
}
