import { type CatalogSnapshot, nameHiddenTool } from '../../catalog/snapshot.ts';
import { isUnmatchedNotice } from '../../catalog/transforms/shaping/shaping-keys.ts';
import { isRuntimeTool, runtimeServers } from '../../config/entries/agent-entry.ts';
import { type NamedTool, contentMethods, fullName } from '../../core/tools/tool-names.ts';
import type { Rule } from '../../policy/rules/rule.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';

/** Returns a warning for each name in settings of servers, in profiles and in rules that matches nothing. */
export async function nameWarnings(
  box: Pick<InternalSignalbox, 'catalog' | 'policies' | 'profiles'>,
): Promise<string[]> {
  return [...unmatchedKeys(box), ...unmatchedPatterns(box), ...(await unmatchedRules(box))];
}

/** Returns a warning for each name in the active rules that matches no tool, label or server. */
export async function unmatchedRules(box: Pick<InternalSignalbox, 'policies' | 'catalog'>): Promise<string[]> {
  const active = box.policies.list().rules;
  if (active.length === 0) return [];
  const { readPolicies } = await import('../../policy/rules/read-policies.ts');
  const { rules } = readPolicies([
    { value: active.map(({ rule }) => rule), file: 'policies', placeOf: () => undefined },
  ]);
  return await unmatchedIn(
    rules.map((rule, index) => ({ ...rule, at: active[index]?.at })),
    box.catalog(),
  );
}

/** Returns the tools under which rules name the resources and prompts of a server. */
function contentToolsOf(server: string): NamedTool[] {
  return contentMethods.map((tool) => ({ id: { server, tool }, name: fullName({ server, tool }) }));
}

/** Returns a warning for each name in rules that matches no tool, label or server of a catalog. */
export async function unmatchedIn(
  rules: readonly Rule[],
  { tools, hidden, servers }: CatalogSnapshot,
): Promise<string[]> {
  const { findUnmatchedNames } = await import('../../policy/rules/rule-warnings.ts');
  const unmatched = findUnmatchedNames(rules, {
    tools: [...tools, ...hidden.map(nameHiddenTool), ...servers.flatMap(({ name }) => contentToolsOf(name))],
    labels: [...new Set(tools.flatMap(({ labels }) => labels))],
    servers: [...servers.map(({ name }) => name), ...Object.keys(runtimeServers)],
    absent: servers.filter(({ status }) => status !== 'up').map(({ name }) => name),
  });
  // Tools of Claude Code, whose names begin with a capital letter, are known only after their first call.
  const reported = unmatched.filter(
    ({ what, name }) => what !== 'tool' || !(isRuntimeTool(name) || /^[A-Z]/.test(name)),
  );
  return reported.map(({ rule, at, key, name, what, nearest }) => {
    const place = at === undefined ? '' : ` (${at})`;
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
    return `rule "${rule}"${place}: "${name}" in ${key} matches no ${what}${hint}`;
  });
}

/** Returns a warning for each pattern in profiles that matches no tool. Returns none while a server is down, because it may have the tool. */
export function unmatchedPatterns(box: Pick<InternalSignalbox, 'profiles' | 'catalog'>): string[] {
  if (box.catalog().servers.some(({ status }) => status !== 'up')) return [];
  return box.profiles
    .list()
    .flatMap(({ name, unmatched }) =>
      unmatched
        .filter((pattern) => !isRuntimeTool(pattern.replace(/^!/, '')))
        .map((pattern) => `profiles.${name}.tools: ${JSON.stringify(pattern)} matches no tool`),
    );
}

/** Returns a warning for each name and pattern in the `tools` block of a server that matches none of its tools. */
export function unmatchedKeys(box: Pick<InternalSignalbox, 'catalog'>): string[] {
  return box
    .catalog()
    .notices.filter(({ message }) => isUnmatchedNotice(message))
    .map(({ server, message }) => `server "${server}": ${message}`);
}
