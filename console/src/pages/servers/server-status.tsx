import type { ReactNode } from 'react';
import type { ServerState } from '../../api/schema.ts';
import { Badge, ServerBadge } from '../../parts/badge.tsx';

/** How a server is, in a word. */
export function ServerStatus({ server }: { readonly server: ServerState }): ReactNode {
  if (server.needsSignIn === true) return <Badge tone="amber">needs sign-in</Badge>;
  if (server.status === 'up' && server.health?.state === 'idle') return <Badge tone="grey">idle</Badge>;
  return <ServerBadge {...server} />;
}
