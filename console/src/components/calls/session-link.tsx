import type { ReactNode } from 'react';
import { Link } from '../../app/router.tsx';

/** Returns whether an id is that of a session with an agent. Sessions of MCP clients have no page. */
export function isAgentSession(session: string): boolean {
  return session.startsWith('sess_');
}

/** The id of a session, as a link if it has a page. */
export function SessionLink({ id }: { readonly id: string }): ReactNode {
  return isAgentSession(id) ? <Link to={`/sessions/${encodeURIComponent(id)}`}>{id}</Link> : <code>{id}</code>;
}
