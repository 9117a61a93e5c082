import { stem } from './words.ts';

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

/** Words that mean about the same as one that has lost its ending, in a list for each of its meanings. */
export function synonymsOf(word: string): readonly (readonly string[])[] {
  return byWord.get(word) ?? [];
}
