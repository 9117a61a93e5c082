import { type Phrase, phrases } from './phrases.ts';

/** A phrase that was found, with its words. */
export interface FoundPhrase {
  readonly phrase: Phrase;
  readonly words: string;
}

/** A word, a sign that ends a sentence, or a line that begins with a bullet. */
const token = /[\p{L}\p{N}$~][\p{L}\p{N}'_-]*|[.!?](?=\s|$|["')\]])|[;\n](?=\s*[-*\d]|\s*\n|\s|$)/gu;
const ends = /^[.!?;\n]/;
const maxShown = 80;

/**
 * Finds phrases in a normalized text, in linear time: each step of a phrase remembers only the last word at which it could be reached, and
 * a word is compared with each class of words once.
 */
export function findPhrases(text: string): FoundPhrase[] {
  const found = new Map<Phrase, string>();
  const known = new Map<string, readonly boolean[]>();
  const classes = (word: string): readonly boolean[] => {
    let fits = known.get(word);
    if (fits === undefined) known.set(word, (fits = allWords.map((words) => words.test(word))));
    return fits;
  };
  let progress = phrases.map((): Reached[] => []);
  let position = 0;
  for (const { 0: word, index } of text.matchAll(token)) {
    if (ends.test(word)) {
      progress = phrases.map(() => []);
      continue;
    }
    position += 1;
    const fits = classes(word);
    for (const [each, { steps }] of compiled.entries()) {
      const reached = progress[each] ?? [];
      for (let step = steps.length - 1; step >= 0; step -= 1) {
        const { words, gap } = steps[step] as CompiledStep;
        if (fits[words] !== true) continue;
        const before = step === 0 ? undefined : reached[step - 1];
        if (step > 0 && (before === undefined || position - before.position - 1 > gap)) continue;
        reached[step] = { position, start: before?.start ?? index };
      }
      const last = reached[steps.length - 1];
      const phrase = phrases[each];
      if (last?.position === position && phrase !== undefined && !found.has(phrase))
        found.set(phrase, text.slice(last.start, index + word.length).slice(0, maxShown));
    }
  }
  for (const phrase of phrases) {
    const match = phrase.sign?.exec(text)?.[0];
    if (match !== undefined) found.set(phrase, match.slice(0, maxShown));
  }
  return [...found].map(([phrase, words]) => ({ phrase, words: words.replace(/\s+/g, ' ') }));
}

interface Reached {
  readonly position: number;
  readonly start: number;
}

interface CompiledStep {
  /** Index of the class of words. */
  readonly words: number;
  /** How many words may stand before it. */
  readonly gap: number;
}

const allPatterns = [...new Set(phrases.flatMap(({ steps }) => steps.map(({ words }) => words)))];
const allWords = allPatterns.map((words) => new RegExp(`^(?:${words})$`));
const compiled = phrases.map(({ steps }) => ({
  steps: steps.map(({ words, maxGap }): CompiledStep => ({ words: allPatterns.indexOf(words), gap: maxGap })),
}));
