import { renderName } from '../../catalog/names.ts';
import { matchesNamePattern } from '../../core/text/name-pattern.ts';
import type { PlannedServer } from './plan-import.ts';

/** A rule that says of a tool what another client says of it. */
export interface StarterRule {
  readonly id: string;
  /** The tool’s rendered name; `*` stands for any part of it. */
  readonly match: string;
  readonly answer: 'allow' | 'ask';
  /** Whose habit it is. */
  readonly clients: readonly string[];
}

/** The rules that come from other clients’ permissions. What they forbid is not here: it is hidden by the configuration. */
export function starterRules(servers: readonly PlannedServer[]): StarterRule[] {
  const rules = new Map<string, StarterRule>();
  for (const { name, entry, permissions } of servers) {
    for (const { tool, answer, client } of permissions) {
      // Anything else could mean more here than it does there.
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

/** A rule for what the configuration hides would wait for the day that it does not any more. */
function isHidden(tool: string, { tools }: PlannedServer['entry']): boolean {
  if (tools?.deny?.some((pattern) => matchesNamePattern(tool, pattern)) === true) return true;
  return !tool.includes('*') && tools?.allow?.some((pattern) => matchesNamePattern(tool, pattern)) === false;
}

/** The rules as the text of a `policies.yaml`. */
export function printRules(rules: readonly StarterRule[]): string {
  const told = { allow: 'runs it without asking', ask: 'always asks' };
  const texts = rules.map(({ id, match, answer, clients }) =>
    [
      `# ${clients.join(', ')} ${told[answer]}`,
      `- id: ${id}`,
      // Text in JSON is text in YAML, whatever stands in it.
      `  match: ${JSON.stringify(match)}`,
      `  ${answer}: "true"`,
    ].join('\n'),
  );
  return `# Proposed by signalbox import, from what other clients let run. Take out what you do not want.\n${texts.join('\n')}\n`;
}

/** No two rules share an id. */
function numbered(rules: readonly StarterRule[]): StarterRule[] {
  const used = new Map<string, number>();
  return rules.map((rule) => {
    const count = (used.get(rule.id) ?? 0) + 1;
    used.set(rule.id, count);
    return count === 1 ? rule : { ...rule, id: `${rule.id}-${count}` };
  });
}
