import type { Section } from '../requirement.ts';

/** Conditions, resources and prompts (H30–H39). */
export const conditions: Section<'H'> = {
  H30: {
    promise:
      'all conditions of a call share one budget of work, counted from the sizes of values; a decision that would exceed it denies with that reason',
    tests: [
      'test/attacks/conditions.test.ts > a condition that would take seconds on large arguments > is denied with the reason, whatever the rule answers: args.list.all(x, x in args.list)',
      'test/attacks/conditions.test.ts > a condition that would take seconds on large arguments > is denied with the reason, whatever the rule answers: args.text.contains(args.part)',
      'test/attacks/conditions.test.ts > a condition that would take seconds on large arguments > all rules of a call share one budget',
      'test/attacks/conditions.test.ts > a condition that would take seconds on large arguments > a part that took too much is not ignored because another part is true',
      'test/attacks/conditions.test.ts > a condition that would take seconds on large arguments > a budget whose cost takes too much to compute denies',
      'test/attacks/conditions.test.ts > a condition that would take seconds on large arguments > the count depends on the values alone: the same call is charged the same each time',
      'test/attacks/conditions.test.ts > ordinary conditions on large arguments > are evaluated: a megabyte of text, a list of ten thousand',
    ],
  },
  H31: {
    promise: 'lowerAscii and upperAscii change A–Z and a–z and no other letter',
    tests: [
      'test/attacks/conditions.test.ts > lowerAscii and upperAscii > fold A–Z only: no other letter becomes one of theirs',
    ],
  },
  H32: {
    promise:
      'path(x).within(dir) sees through //, ., .., links and file: URLs; a text that is not one certain path denies, whatever the rule answers',
    tests: [
      'test/attacks/conditions.test.ts > path(x).within(dir) > sees through //, ., .., trailing slashes, links and file: URLs',
      'test/attacks/conditions.test.ts > path(x).within(dir) > a text that is not one certain path denies, whether the rule allows or denies',
      'test/attacks/conditions.test.ts > path(x).within(dir) > relative paths are relative to the only workspace of the server',
      'test/attacks/conditions.test.ts > path(x).within(dir) > folds case where the file system does',
    ],
  },
  H33: {
    promise:
      'shell(x).commands lists every command of a text, also in substitutions, with assignments and redirections; a text that cannot be parsed denies',
    tests: [
      'test/attacks/conditions.test.ts > shell(x) > a rule that allows git allows nothing that comes with it',
      'test/attacks/conditions.test.ts > shell(x) > a text that cannot be parsed denies, whether the rule allows or denies',
      'test/attacks/conditions.test.ts > shell(x) > shows substitutions, words, computed words, and what eval and sh -c run',
      'src/policy/prefix-warnings.test.ts > startsWith on a command or a path is warned about, and on nothing else',
    ],
  },
};
