import type { ModelMessage } from 'ai';
import { type JsonValue, isJsonObject } from '../../core/json/json.ts';

/** What is remembered from one turn to the next: the conversation. */
interface Memory {
  readonly version: 1;
  readonly messages: readonly ModelMessage[];
}

/** The most that is remembered, in characters of JSON: about 100,000 tokens. */
const defaultMemoryCharacters = 400_000;

/** The conversation so far, out of what was remembered; empty for memory that is not of this runtime. */
export function parseMemory(memory: JsonValue | undefined): ModelMessage[] {
  if (!isJsonObject(memory) || memory['version'] !== 1 || !Array.isArray(memory['messages'])) return [];
  return [...(memory as unknown as Memory).messages];
}

/** Turns the conversation into memory. What is too much loses its oldest turns, always whole: a result never loses its call. */
export function toMemory(messages: readonly ModelMessage[], most = defaultMemoryCharacters): JsonValue {
  const sizes = messages.map((message) => JSON.stringify(message).length);
  let size = sizes.reduce((sum, one) => sum + one, 0);
  let start = 0;
  while (size > most) {
    const next = messages.findIndex(({ role }, index) => index > start && role === 'user');
    if (next === -1) break;
    for (; start < next; start += 1) size -= sizes[start] ?? 0;
  }
  const kept = messages.slice(start);
  return plain({ version: 1, messages: size > most ? withoutSteps(kept) : kept });
}

/** One turn alone can be too much: then what it did is forgotten, and what was asked and answered in the end is not. */
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

/** As JSON keeps it: without properties that are undefined. */
function plain(memory: Memory): JsonValue {
  return JSON.parse(JSON.stringify(memory)) as JsonValue;
}
