const stopWords = new Set(
  (
    'a about all also am an and any are as at be but by can could did do does everything for from get give go had has have how i if in into is ' +
    'it its just let like may me might my need no not now of on one or our out please should so some than that the their them there ' +
    'these they this those to tool up use used using was we were what when where which who will with would you your'
  ).split(' '),
);

/** Returns the words of a text, including parts of names such as `readFile` and `read_file`, in lower case and stemmed. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !stopWords.has(word))
    .map(cachedStem);
}

/** Cached, because tools share most of their words. */
const stems = new Map<string, string>();
const maxStems = 20_000;

function cachedStem(word: string): string {
  let known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size === maxStems) stems.clear();
  stems.set(word, (known = stem(word)));
  return known;
}

/**
 * Returns the stem of a word, so that "creates", "creating" and "creation" match. The stem need not be a dictionary word, because
 * the query and the searched text are stemmed in the same way.
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

/** Words that people and authors of tools use for the same thing. */
const groups: readonly string[] = [
  'directory folder dir',
  'delete remove erase drop forget',
  'create make new add build',
  'add append insert attach',
  'read open show view display see look print dump retrieve fetch content',
  'write save store put overwrite',
  'edit change modify update replace fix',
  'find search look locate query lookup',
  'list show enumerate listing',
  'move rename relocate transfer',
  'copy duplicate clone',
  'size large largest big biggest space',
  'image picture photo logo icon',
  'sum add plus total',
  'file document disk filesystem',
  'entity person thing node concept',
  'relation relationship link connection connect relate',
  'observation fact note detail remember learn',
  'graph memory knowledge remember forget',
  'think thought reason reasoning step reflect',
  'info information detail metadata property attribute',
  'environment env',
  'compress zip gzip archive pack',
  'message text string',
  'echo repeat say',
  'schedule job cron recurring',
  'session conversation chat',
  'config configuration setting option preference',
  'allow permit access permission',
  'run execute start trigger launch',
  'stop end cancel abort',
  'send post submit deliver',
  'multiple several many batch',
  'ask prompt request question',
  'tree hierarchy structure nested recursive',
  'research investigate study',
  'logging log',
  'toggle switch enable disable',
  'merge combine join',
  'download pull',
  'upload push',
  'mail email',
  'bill invoice',
  'ticket issue bug',
  'meeting event appointment',
  'user account member',
  'server host machine',
  'database table sql',
  'web website page url browser',
];

const byWord = new Map<string, string[][]>();
for (const group of groups) {
  const words = [...new Set(group.split(' ').map(stem))];
  for (const word of words) byWord.set(word, [...(byWord.get(word) ?? []), words.filter((each) => each !== word)]);
}

/** Returns the synonyms of a stemmed word, in a list for each of its meanings. */
export function synonymsOf(word: string): readonly (readonly string[])[] {
  return byWord.get(word) ?? [];
}
