import { type Phrase, phrases } from './phrases.ts';

/** A phrase that was found, with its words. */
export interface FoundPhrase {
  readonly phrase: Phrase;
  readonly words: string;
}

/** A place in a phrase that a word can fill. */
interface Place {
  readonly phrase: number;
  readonly step: number;
  readonly maxGap: number;
  readonly isLast: boolean;
}

/** Where a step of a phrase was reached last. */
interface Reached {
  readonly sentence: number;
  readonly position: number;
  readonly start: number;
}

/** A word, a sign that ends a sentence, or a line that begins with a bullet. */
const token = /[\p{L}\p{N}$~][\p{L}\p{N}'_-]*|[.!?](?=\s|$|["')\]])|[;\n](?=[-*\d\s]|$)/gu;
const ends = /^[.!?;\n]/;
const maxShown = 80;
const maxWordLength = 40;
const maxKnownWords = 20_000;

/** The places of each class of words; of one phrase the last ones first, so that a word never fills two steps. */
const placesByClass = new Map<string, Place[]>();
for (const [phrase, { steps }] of phrases.entries())
  for (const [step, { words, maxGap }] of steps.entries())
    placesByClass.set(words, [
      ...(placesByClass.get(words) ?? []),
      { phrase, step, maxGap, isLast: step === steps.length - 1 },
    ]);
const classes = [...placesByClass].map(([words, places]) => ({ words: new RegExp(`^(?:${words})$`), places }));
const anyClass = new RegExp(`^(?:${[...placesByClass.keys()].join('|')})$`);
const knownWords = new Map<string, readonly Place[]>();

/** Finds phrases in a normalized text, in linear time: each step of a phrase remembers only the last word at which it could be reached. */
export function findPhrases(text: string): FoundPhrase[] {
  const found = new Map<Phrase, string>();
  const progress = phrases.map((): (Reached | undefined)[] => []);
  let position = 0;
  let sentence = 0;
  for (const { 0: word, index } of text.matchAll(token)) {
    if (ends.test(word)) {
      sentence += 1;
      continue;
    }
    position += 1;
    for (const { phrase, step, maxGap, isLast } of placesOf(word)) {
      const reached = progress[phrase] ?? [];
      const before = step === 0 ? undefined : reached[step - 1];
      const isReached = before?.sentence === sentence && position - before.position - 1 <= maxGap;
      if (step > 0 && !isReached) continue;
      const start = before?.start ?? index;
      reached[step] = { sentence, position, start };
      const whole = phrases[phrase];
      if (isLast && whole !== undefined && !found.has(whole))
        found.set(whole, text.slice(start, index + word.length).slice(0, maxShown));
    }
  }
  for (const phrase of phrases) {
    const match = phrase.sign?.exec(text)?.[0];
    if (match !== undefined) found.set(phrase, match.slice(0, maxShown));
  }
  return [...found].map(([phrase, words]) => ({ phrase, words: words.replace(/\s+/g, ' ') }));
}

function placesOf(word: string): readonly Place[] {
  if (word.length > maxWordLength) return [];
  let places = knownWords.get(word);
  if (places === undefined) {
    if (knownWords.size >= maxKnownWords) knownWords.clear();
    places = anyClass.test(word) ? classes.flatMap((each) => (each.words.test(word) ? each.places : [])) : [];
    knownWords.set(word, (places = places.toSorted((one, other) => other.step - one.step)));
  }
  return places;
}
