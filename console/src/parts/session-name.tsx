import type { ReactNode } from 'react';
import { Link } from '../app/router.tsx';

/** Returns whether an id is of a conversation with an agent. Sessions of MCP clients have no page. */
export function isConversation(session: string): boolean {
  return session.startsWith('sess_');
}

/** The id of a session, which leads to its page where it has one. */
export function SessionName({ id }: { readonly id: string }): ReactNode {
  return isConversation(id) ? <Link to={`/sessions/${encodeURIComponent(id)}`}>{id}</Link> : <code>{id}</code>;
}
