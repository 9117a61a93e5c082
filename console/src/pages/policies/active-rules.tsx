import type { ReactNode } from 'react';
import type { Policies } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import { JsonView } from '../../components/text/json-view.tsx';

/** The rules that decide calls now, which can differ from the draft in the editor. */
export function ActiveRules({ policies: { version, rules, code } }: { readonly policies: Policies }): ReactNode {
  return (
    <section className="card in-force" aria-label="Active rules">
      <header>
        <h2>Active rules</h2>
        <span className="faint">{version === undefined ? 'no policy' : `version ${version}`}</span>
      </header>
      {rules.length === 0 && code.length === 0 ? (
        <p className="faint">No rules: reads run, undoable calls ask once in a session, and all other calls ask.</p>
      ) : undefined}
      <ul>
        {rules.map(({ rule, at }, index) => (
          <li key={`${at ?? ''} ${index}`}>
            <details>
              <summary>
                <span>{idOf(rule, index)}</span>
                {isShadow(rule) ? <Badge tone="gray">shadow</Badge> : undefined}
                <span className="faint">{at}</span>
              </summary>
              <JsonView value={rule} open={3} />
            </details>
          </li>
        ))}
        {code.map((name) => (
          <li key={`code ${name}`}>
            {name} <span className="faint">in code</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function idOf(rule: unknown, index: number): string {
  const id = partOf(rule, 'id');
  return typeof id === 'string' ? id : `rule ${index + 1}`;
}

function isShadow(rule: unknown): boolean {
  return partOf(rule, 'mode') === 'shadow';
}

function partOf(rule: unknown, name: string): unknown {
  return typeof rule === 'object' && rule !== null && name in rule
    ? (rule as Record<string, unknown>)[name]
    : undefined;
}
