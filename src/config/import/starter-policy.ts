import { renderName } from '../../core/tools/tool-names.ts';
import { matchesNamePattern } from '../../core/text/name-pattern.ts';
import type { PlannedServer } from './plan-import.ts';

/** A rule for the permission that a tool has in another client. */
export interface StarterRule {
  readonly id: string;
  /** The full name of the tool; `*` matches any part of it. */
  readonly match: string;
  readonly answer: 'allow' | 'ask';
  /** The titles of the clients with this permission. */
  readonly clients: readonly string[];
}

/** Returns rules for the permissions of other clients. Forbidden tools have none, because the configuration hides them. */
export function starterRules(servers: readonly PlannedServer[]): StarterRule[] {
  const rules = new Map<string, StarterRule>();
  for (const { name, entry, permissions } of servers) {
    for (const { tool, answer, client } of permissions) {
      // Other characters could match more tools here than in the client.
      if (answer === 'deny' || isHidden(tool, entry) || !/^[\w.*-]+$/.test(tool)) continue;
      const match = tool.includes('*') ? `mcp__${name}__${tool}` : renderName({ server: name, tool }).name;
      const id = `imported-${match
        .slice('mcp__'.length)
        .replaceAll('*', 'all')
        .replaceAll(/[^A-Za-z0-9]+/g, '-')}`;
      const before = rules.get(match);
      const isStricter = before?.answer === 'allow' && answer === 'ask';
      if (before === undefined || isStricter) rules.set(match, { id, match, answer, clients: [client] });
      else if (before.answer === answer && !before.clients.includes(client))
        rules.set(match, { ...before, clients: [...before.clients, client] });
    }
  }
  return numbered([...rules.values()]);
}

/** Returns whether the configuration hides a tool. A rule for it would take effect when the tool is shown again. */
function isHidden(tool: string, { tools }: PlannedServer['entry']): boolean {
  if (tools?.deny?.some((pattern) => matchesNamePattern(tool, pattern)) === true) return true;
  return !tool.includes('*') && tools?.allow?.some((pattern) => matchesNamePattern(tool, pattern)) === false;
}

/** Formats rules as the text of a `policies.yaml`. */
export function printRules(rules: readonly StarterRule[]): string {
  const descriptions = { allow: 'runs it without asking', ask: 'always asks' };
  const texts = rules.map(({ id, match, answer, clients }) =>
    [
      `# ${clients.join(', ')} ${descriptions[answer]}`,
      `- id: ${id}`,
      // A JSON string is always a valid YAML string.
      `  match: ${JSON.stringify(match)}`,
      `  ${answer}: "true"`,
    ].join('\n'),
  );
  return `# Proposed by signalbox import, from the permissions of other clients. Remove the rules that you do not want.\n${texts.join('\n')}\n`;
}

/** Makes the ids of rules unique. */
function numbered(rules: readonly StarterRule[]): StarterRule[] {
  const used = new Map<string, number>();
  return rules.map((rule) => {
    const count = (used.get(rule.id) ?? 0) + 1;
    used.set(rule.id, count);
    return count === 1 ? rule : { ...rule, id: `${rule.id}-${count}` };
  });
}
