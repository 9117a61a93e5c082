const unhelpful = new Set(
  (
    'a about all also am an and any are as at be but by can could did do does everything for from get give go had has have how i if in into is ' +
    'it its just let like may me might my need no not now of on one or our out please should so some than that the their them there ' +
    'these they this those to tool up use used using was we were what when where which who will with would you your'
  ).split(' '),
);

/** The words of a text: parts of names like `readFile` and `read_file` too, in lower case and without their endings. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !unhelpful.has(word))
    .map(knownStem);
}

/** Tools share most of their words. */
const stems = new Map<string, string>();
const mostStems = 20_000;

function knownStem(word: string): string {
  let known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size === mostStems) stems.clear();
  stems.set(word, (known = stem(word)));
  return known;
}

/**
 * A word without its ending, so that "creates", "creating" and "creation" are one. No word of a dictionary need come out: the
 * same is done to what is searched and to what it is searched for.
 */
export function stem(word: string): string {
  const singular = word
    .replace(/ies$/, 'y')
    .replace(/(s|x|z|ch|sh)es$/, '$1')
    .replace(/([^sui])s$/, '$1');
  if (singular.length < 5) return singular.replace(/e$/, '');
  return singular
    .replace(/([st])ions?$/, '$1')
    .replace(/(?:ing|ed)$/, '')
    .replace(/([bdgmnprt])\1$/, '$1')
    .replace(/e$/, '');
}
