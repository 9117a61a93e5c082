import { getOrInsert } from '../../core/get-or-insert.ts';
import { hiddenCharacters } from '../transforms/sanitize-text.ts';
import { normalizeText, visibleText } from './normalized-text.ts';
import { type Phrase, phrases, wordClasses } from './phrases.ts';
import { findSignals } from './signals.ts';

const maxLength = 400_000;
const maxListed = 5;

/** Returns the signs of an attack on a model that reads these texts. Each completes the sentence "its definition …". */
export function scanTexts(texts: readonly string[]): string[] {
  const flags = new Set<string>();
  const hidden = new Set(texts.flatMap(hiddenCharacters));
  if (hidden.size > 0) flags.add(`contains hidden characters (${listFirst(hidden)})`);
  const { text, tricks } = normalizeText(texts.join('\n\n').slice(0, maxLength));
  const weights = new Map<string, number>();
  const found = findPhrases(text);
  for (const { phrase } of found)
    weights.set(phrase.meaning, Math.max(weights.get(phrase.meaning) ?? 0, phrase.weight));
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const isObfuscated = tricks.some((trick) => trick.startsWith('mixes'));
  if (total >= 1 || isObfuscated) {
    for (const trick of tricks) flags.add(trick);
    const meanings = new Set<string>();
    for (const { phrase, words } of found.toSorted((one, other) => other.phrase.weight - one.phrase.weight)) {
      if (meanings.has(phrase.meaning)) continue;
      meanings.add(phrase.meaning);
      flags.add(`${phrase.meaning}: ${JSON.stringify(words)}`);
    }
  }
  if (flags.size === 0) {
    const words = findSignals(texts.map((each) => visibleText(each.slice(0, maxLength))));
    if (words.length > 0)
      flags.add(`reads like instructions to the model: ${listFirst(words.map((each) => JSON.stringify(each)))}`);
  }
  return [...flags];
}

/** Lists the first few values. */
export function listFirst(values: Iterable<string>): string {
  const all = [...values];
  const more = all.length > maxListed ? ` and ${all.length - maxListed} more` : '';
  return all.slice(0, maxListed).join(', ') + more;
}

/** A phrase that was found, with its words. */
interface FoundPhrase {
  readonly phrase: Phrase;
  readonly words: string;
}

/** A position in a phrase that a word can fill. */
interface Place {
  readonly phrase: number;
  readonly step: number;
  readonly maxGap: number;
  readonly isLast: boolean;
}

/** The last position at which a step of a phrase was reached. */
interface Reached {
  readonly sentence: number;
  readonly position: number;
  readonly start: number;
}

/** A word, a sign that ends a sentence, or a line that begins with a bullet. */
const token = /[\p{L}\p{N}$~][\p{L}\p{N}'_-]*|[.!?](?=\s|$|["')\]])|[;\n](?=[-*\d\s]|$)/gu;
const ends = /^[.!?;\n]/;
const maxQuotedLength = 80;
const maxWordLength = 40;

/** The positions of each word, in reverse order within a phrase, so that a word never fills two steps. */
const placesByWord = new Map<string, readonly Place[]>();
/** The positions of classes whose words cannot be enumerated, such as names of tools. */
const openClasses: { readonly words: RegExp; readonly places: readonly Place[] }[] = [];
/** An optional letter, or a group of alternatives, which may be optional. */
const choice = /\(\?:([^()]*)\)(\??)|(.)\?/;
indexPhrases();

/** Finds phrases in a normalized text, in linear time: each step of a phrase remembers only the last word at which it could be reached. */
function findPhrases(text: string): FoundPhrase[] {
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
        found.set(whole, text.slice(start, index + word.length).slice(0, maxQuotedLength));
    }
  }
  for (const phrase of phrases) {
    const match = phrase.pattern?.exec(text)?.[0];
    if (match !== undefined) found.set(phrase, match.slice(0, maxQuotedLength));
  }
  return [...found].map(([phrase, words]) => ({ phrase, words: words.replace(/\s+/g, ' ') }));
}

/**
 * Returns the positions that a word can fill. Uses a map, because compiling several hundred regular expressions for the first
 * definition would take longer than starting its server.
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
    for (const [step, { words, maxGap }] of [...steps.entries()].toReversed()) {
      const place = { phrase, step, maxGap, isLast: step === steps.length - 1 };
      for (const alternative of splitAlternatives(words))
        getOrInsert(placesByAlternative, alternative, () => []).push(place);
    }
  for (const [alternative, places] of placesByAlternative)
    if (!alternative.startsWith('{')) indexAlternative(alternative, places);
    else
      for (const each of splitAlternatives(wordClasses[alternative.slice(1, -1)] ?? '')) indexAlternative(each, places);
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
