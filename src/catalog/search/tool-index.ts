import { getOrInsert } from '../../core/get-or-insert.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import { synonymsOf, wordsOf } from './search-words.ts';

/** The weight of a word by its field, and how much the length of the field reduces it. */
const fields = [
  { weight: 3, lengthPenalty: 0.4, text: ({ id }: ToolDefinition) => id.tool },
  { weight: 1.2, lengthPenalty: 0, text: ({ id }: ToolDefinition) => id.server },
  { weight: 2, lengthPenalty: 0.4, text: ({ title, annotations }: ToolDefinition) => title ?? annotations.title ?? '' },
  { weight: 2, lengthPenalty: 0.4, text: ({ description }: ToolDefinition) => firstSentence(description) },
  { weight: 0.6, lengthPenalty: 0.7, text: ({ description }: ToolDefinition) => description.slice(0, 2000) },
  { weight: 0.7, lengthPenalty: 0.7, text: ({ inputSchema }: ToolDefinition) => argumentNames(inputSchema).join(' ') },
] as const;
/** The saturation of term frequency, above which a repeated word adds little. */
const saturation = 1.4;
const synonymWeight = 0.75;
const maxQueryLength = 1000;

interface Posting {
  readonly tool: number;
  readonly weight: number;
}

/** A search index over a list of tools. */
export class ToolIndex {
  readonly #tools: readonly ToolDefinition[];
  readonly #postings = new Map<string, Posting[]>();

  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
    const words = fields.map((field) => tools.map((tool) => wordsOf(field.text(tool))));
    const average = words.map(
      (lists) => lists.reduce((sum, { length }) => sum + length, 0) / Math.max(1, tools.length),
    );
    for (const tool of tools.keys()) {
      const weights = new Map<string, number>();
      for (const [index, { weight, lengthPenalty }] of fields.entries()) {
        const list = words[index]?.[tool] ?? [];
        const length = 1 - lengthPenalty + (lengthPenalty * list.length) / Math.max(1, average[index] ?? 1);
        for (const word of list) weights.set(word, (weights.get(word) ?? 0) + weight / length);
      }
      for (const [word, weight] of weights)
        getOrInsert(this.#postings, word, () => []).push({ tool, weight: weight / (saturation + weight) });
    }
  }

  /** Returns the tools that best match a plain-text query, best first. */
  search(query: string, limit: number): ToolDefinition[] {
    const scores = new Float64Array(this.#tools.length);
    for (const word of new Set(wordsOf(plain(query.slice(0, maxQueryLength))))) {
      const ofWord = this.#scoresOf(word);
      for (const tool of scores.keys()) scores[tool] = (scores[tool] ?? 0) + (ofWord[tool] ?? 0);
    }
    const named = query.trim().toLowerCase();
    return this.#tools
      .map((tool, index) => ({ tool, score: isNamed(tool, named) ? Infinity : (scores[index] ?? 0) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  /** Returns the scores of the tools for a word or for its synonyms. */
  #scoresOf(word: string): Float64Array {
    const scores = new Float64Array(this.#tools.length);
    for (const meaning of synonymsOf(word)) {
      const best = this.#bestScores(meaning);
      for (const tool of scores.keys()) scores[tool] = (scores[tool] ?? 0) + synonymWeight * (best[tool] ?? 0);
    }
    return this.#bestScores([word], scores);
  }

  /** Returns the score of each tool for the word that matches it best. */
  #bestScores(words: readonly string[], best = new Float64Array(this.#tools.length)): Float64Array {
    for (const word of words) {
      const postings = this.#postings.get(word) ?? [];
      const rarity = Math.log(1 + (this.#tools.length - postings.length + 0.5) / (postings.length + 0.5));
      for (const { tool, weight } of postings) best[tool] = Math.max(best[tool] ?? 0, rarity * weight);
    }
    return best;
  }
}

const indexes = new WeakMap<readonly ToolDefinition[], ToolIndex>();

/** Returns the index for a list of tools, cached by list. */
export function toolIndex(tools: readonly ToolDefinition[]): ToolIndex {
  return getOrInsert(indexes, tools, () => new ToolIndex(tools));
}

/** Returns the first sentence of a text, which usually states the purpose of a tool. */
export function firstSentence(text: string): string {
  return /^\s*([^\n]*?[.!?](?=\s|$)|[^\n]*)/.exec(text)?.[1]?.slice(0, 300) ?? '';
}

/** Returns the arguments of a tool; optional ones end with `?`. */
export function argumentNames(schema: ToolDefinition['inputSchema']): string[] {
  if (typeof schema !== 'object') return [];
  const { properties, required } = schema;
  const needed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return names.map((name) => (needed.has(name) ? name : `${name}?`));
}

/** Replaces file names in a query, because only the fact that it is a file is relevant to the choice of a tool. */
function plain(query: string): string {
  return query.replaceAll(/(?<![\w.])[\w/-]+\.[a-z]{1,5}(?![\w.])/gi, 'file');
}

function isNamed({ name, id }: ToolDefinition, query: string): boolean {
  return name.toLowerCase() === query || id.tool.toLowerCase() === query;
}
