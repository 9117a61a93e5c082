import { isOfRuntime, runtimeServers } from '../../config/agent-entry.ts';
import type { Signalbox } from '../../signalbox.ts';

/** What is told of rules in force that name a tool, label or server which is not there; a line each. */
export async function unmatchedRules(box: Pick<Signalbox, 'policies' | 'catalog'>): Promise<string[]> {
  const written = box.policies().rules;
  if (written.length === 0) return [];
  const [{ readPolicies }, { unmatchedNames }] = await Promise.all([
    import('../../policy/read-policy.ts'),
    import('../../policy/unmatched-names.ts'),
  ]);
  const { rules } = readPolicies([
    { value: written.map(({ rule }) => rule), file: 'policies', placeOf: () => undefined },
  ]);
  const { tools, hidden, servers } = box.catalog();
  const unmatched = unmatchedNames(
    rules.map((rule, index) => ({ ...rule, at: written[index]?.at })),
    {
      tools: [...tools, ...hidden].map(({ name }) => name),
      labels: [...new Set(tools.flatMap(({ labels }) => labels))],
      servers: [...servers.map(({ name }) => name), ...Object.keys(runtimeServers)],
      absent: servers.filter(({ status }) => status !== 'up').map(({ name }) => name),
    },
  );
  const told = unmatched.filter(({ what, name }) => what !== 'tool' || !isOfRuntime(name));
  return told.map(({ rule, at, key, name, what, nearest }) => {
    const place = at === undefined ? '' : ` (${at})`;
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
    return `rule "${rule}"${place}: "${name}" in ${key} fits no ${what}${hint}`;
  });
}
