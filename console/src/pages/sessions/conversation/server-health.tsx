import type { ReactNode } from 'react';
import type { SessionEvent } from '../../../api/schema.ts';
import { Badge } from '../../../components/badge.tsx';

type Servers = Extract<SessionEvent, { type: 'session_status' }>['servers'];

const tones = { up: 'green', starting: 'amber', 'needs-sign-in': 'amber', disabled: 'gray' } as const;

/** A badge for the health of a session's servers. Expands to the list. */
export function ServerHealth({ servers }: { readonly servers: Servers | undefined }): ReactNode {
  if (servers === undefined || servers.length === 0) return undefined;
  const unhealthy = servers.filter(({ status }) => status !== 'up' && status !== 'disabled').length;
  return (
    <details className="health">
      <summary>
        <Badge tone={unhealthy === 0 ? 'green' : 'amber'}>
          {unhealthy === 0
            ? `${servers.length} ${servers.length === 1 ? 'server' : 'servers'} up`
            : `${unhealthy} of ${servers.length} servers down`}
        </Badge>
      </summary>
      <ul className="card">
        {servers.map(({ name, status, tools, error }) => (
          <li key={name}>
            <span>{name}</span>
            <Badge tone={tones[status as keyof typeof tones] ?? 'red'}>{status}</Badge>
            <span className="faint">{tools === 1 ? '1 tool' : `${tools} tools`}</span>
            {error === undefined ? undefined : <p className="faint">{error}</p>}
          </li>
        ))}
      </ul>
    </details>
  );
}
