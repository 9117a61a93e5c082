import { isUnmatchedNotice } from '../../catalog/transforms/unmatched.ts';
import { isOfRuntime } from '../../config/entries/agent-entry.ts';
import type { Signalbox } from '../../signalbox.ts';

/** What is told of patterns in profiles that fit no tool; a line each. Servers that are away are given the benefit of the doubt. */
export function unmatchedPatterns(box: Pick<Signalbox, 'profiles' | 'catalog'>): string[] {
  const away = box.catalog().servers.filter(({ status }) => status !== 'up');
  if (away.length > 0) return [];
  return box
    .profiles()
    .flatMap(({ name, unmatched }) =>
      unmatched
        .filter((pattern) => !isOfRuntime(pattern.replace(/^!/, '')))
        .map((pattern) => `profiles.${name}.tools: ${JSON.stringify(pattern)} fits no tool`),
    );
}

/** Returns a warning for each name and pattern in the `tools` block of a server that matches none of its tools. */
export function unmatchedKeys(box: Pick<Signalbox, 'catalog'>): string[] {
  return box
    .catalog()
    .notices.filter(({ message }) => isUnmatchedNotice(message))
    .map(({ server, message }) => `server "${server}": ${message}`);
}
