import type { ModelMessage } from 'ai';
import { type JsonValue, isJsonObject } from '../../core/json/json.ts';
import type { Turn } from '../runtime.ts';
import type { ModelOptions } from './model-options.ts';

/** The messages of this turn and the turns before. */
export class Conversation {
  readonly messages: ModelMessage[];
  readonly instructions: string;
  readonly #before: readonly ModelMessage[];
  readonly #maxCharacters: number | undefined;

  constructor(turn: Turn, { instructions, memoryCharacters }: ModelOptions) {
    this.#before = parseMemory(turn.memory);
    this.#maxCharacters = memoryCharacters;
    this.messages = [...this.#before, { role: 'user', content: turn.content }];
    this.instructions = [instructions, turn.instructions, `The working directory is ${turn.cwd}.`]
      .filter((part) => part !== undefined)
      .join('\n\n');
  }

  /** Removes a user message that the provider always refuses, unless it has a response. */
  forgetQuestion(): void {
    if (this.messages.length === this.#before.length + 1) this.messages.pop();
  }

  memory(): JsonValue {
    return toMemory(this.messages, this.#maxCharacters);
  }
}

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
  const remaining = messages.slice(start);
  const memory: Memory = { version: 1, messages: size > maxCharacters ? withoutSteps(remaining) : remaining };
  // Removes properties that are undefined.
  return JSON.parse(JSON.stringify(memory)) as JsonValue;
}

/** Reduces a turn that is too large on its own to its question and final answer. */
function withoutSteps(turn: readonly ModelMessage[]): ModelMessage[] {
  const [question] = turn;
  const texts = textOf(turn.at(-1));
  const answer = `[The steps of this turn were left out, to save room.]${texts === '' ? '' : `\n${texts}`}`;
  return question === undefined ? [] : [question, { role: 'assistant', content: answer }];
}

function textOf(message: ModelMessage | undefined): string {
  if (message?.role !== 'assistant') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
