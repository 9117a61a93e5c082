import type { ReactNode } from 'react';
import type { ServerState } from '../../api/schema.ts';
import { Badge, ServerBadge } from '../../components/badge.tsx';

/** The status of a server as a badge. */
export function ServerStatus({ server }: { readonly server: ServerState }): ReactNode {
  if (server.needsSignIn === true) return <Badge tone="amber">needs sign-in</Badge>;
  if (server.status === 'up' && server.health?.state === 'idle') return <Badge tone="gray">idle</Badge>;
  return <ServerBadge {...server} />;
}
