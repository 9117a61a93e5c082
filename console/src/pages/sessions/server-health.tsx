import type { ReactNode } from 'react';
import type { SessionEvent } from '../../api/schema.ts';
import { Badge } from '../../parts/badge.tsx';

type Servers = Extract<SessionEvent, { type: 'session_status' }>['servers'];

const tones = { up: 'green', starting: 'amber', 'needs-sign-in': 'amber', disabled: 'grey' } as const;

/** How the servers of a session are, in a word; in full when it is opened. */
export function ServerHealth({ servers }: { readonly servers: Servers | undefined }): ReactNode {
  if (servers === undefined || servers.length === 0) return undefined;
  const ill = servers.filter(({ status }) => status !== 'up' && status !== 'disabled').length;
  return (
    <details className="health">
      <summary>
        <Badge tone={ill === 0 ? 'green' : 'amber'}>
          {ill === 0 ? `${servers.length} servers up` : `${ill} of ${servers.length} servers not up`}
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
