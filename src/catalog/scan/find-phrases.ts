import { type Phrase, phrases, wordClasses } from './phrases.ts';

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

/** The places of each word; of one phrase the last ones first, so that a word never fills two steps. */
const placesByWord = new Map<string, readonly Place[]>();
/** The places of classes with words that cannot be listed, such as names of tools. */
const openClasses: { readonly words: RegExp; readonly places: readonly Place[] }[] = [];
/** An optional letter, or a group of alternatives, which may be optional. */
const choice = /\(\?:([^()]*)\)(\??)|(.)\?/;
indexPhrases();

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

/**
 * Returns the places that a word can fill. They are in a map, because several hundred regular expressions would be compiled for the first
 * definition, which takes longer than the start of the server that it comes from.
 */
function placesOf(word: string): readonly Place[] {
  if (word.length > maxWordLength) return [];
  const places = placesByWord.get(word) ?? [];
  const open = openClasses.filter(({ words }) => words.test(word));
  return open.length === 0 ? places : lastFirst([...places, ...open.flatMap((each) => each.places)]);
}

function indexPhrases(): void {
  const placesByAlternative = new Map<string, Place[]>();
  for (const [phrase, { steps }] of phrases.entries())
    for (const [step, { words, maxGap }] of steps.entries()) {
      const place = { phrase, step, maxGap, isLast: step === steps.length - 1 };
      for (const alternative of splitAlternatives(words)) {
        const places = placesByAlternative.get(alternative);
        if (places === undefined) placesByAlternative.set(alternative, [place]);
        else places.push(place);
      }
    }
  for (const [alternative, places] of placesByAlternative) {
    const name = /^\{(.*)\}$/.exec(alternative)?.[1];
    const alternatives = name === undefined ? [alternative] : splitAlternatives(wordClasses[name] ?? '');
    for (const each of alternatives) indexAlternative(each, lastFirst(places));
  }
}

function indexAlternative(alternative: string, places: readonly Place[]): void {
  if (alternative.includes('[')) {
    openClasses.push({ words: new RegExp(`^(?:${alternative})$`), places });
    return;
  }
  for (const word of alternative.includes('?') ? listForms(alternative) : [alternative]) {
    const others = placesByWord.get(word);
    placesByWord.set(word, others === undefined ? places : lastFirst([...others, ...places]));
  }
}

function splitAlternatives(words: string): readonly string[] {
  return words.includes('(') ? (words.match(/(?:\(\?:[^()]*\)|[^|(])+/g) ?? []) : words.split('|');
}

function lastFirst(places: readonly Place[]): readonly Place[] {
  return places.toSorted((one, other) => other.step - one.step);
}

/** Returns all forms of a word with choices: "call" and "calls" of `calls?`. */
function listForms(word: string): string[] {
  const found = choice.exec(word);
  if (found === null) return [word];
  const { 0: whole, 1: group, 2: optional, 3: letter = '', index } = found;
  const forms = group === undefined ? [letter, ''] : [...group.split('|'), ...(optional === '?' ? [''] : [])];
  return forms.flatMap((form) => listForms(word.slice(0, index) + form + word.slice(index + whole.length)));
}
