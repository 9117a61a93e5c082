import { hiddenCharacters } from '../transforms/sanitize-text.ts';
import { findPhrases } from './find-phrases.ts';
import { normalizeText, visibleText } from './normalized-text.ts';
import { findSignals } from './signals.ts';

const maxLength = 400_000;
const maxShown = 5;

/** Returns what looks like an attack on a model that reads these texts, each completing "its definition …". */
export function scanTexts(texts: readonly string[]): string[] {
  const flags = new Set<string>();
  const hidden = new Set(texts.flatMap(hiddenCharacters));
  if (hidden.size > 0) flags.add(`holds hidden characters (${shown(hidden)})`);
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
      flags.add(`reads like instructions to the model: ${shown(words.map((each) => JSON.stringify(each)))}`);
  }
  return [...flags];
}

/** Returns the first few of some names. */
function shown(values: Iterable<string>): string {
  const all = [...values];
  const more = all.length > maxShown ? ` and ${all.length - maxShown} more` : '';
  return all.slice(0, maxShown).join(', ') + more;
}
