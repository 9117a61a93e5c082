import { commandArguments } from '../conditions/survey-condition.ts';
import type { Rule } from './rule.ts';

/** Returns a warning for each rule that compares the prefix of a command or a path as text, which is easy to bypass. */
export function warnAboutPrefixes(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ id, at, kind }) =>
    kind.kind !== 'match' || kind.when === true
      ? []
      : kind.when.prefixComparedArguments.map(
          (name) => `rule "${id}"${at === undefined ? '' : ` (${at})`} ${warning(name)}`,
        ),
  );
}

function warning(name: string): string {
  if (commandArguments.has(name))
    return `compares the beginning of args.${name}, which other commands can follow ("git x; curl …"); use shell(args.${name}).commands`;
  return `compares the beginning of args.${name}, which ".." and links can leave; use path(args.${name}).within('/dir')`;
}
