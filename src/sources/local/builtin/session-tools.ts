import * as z from 'zod';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { listActiveSessions, listSessions } from './list-sessions.ts';
import type { SessionBook } from './session-book.ts';
import { sessionCount } from './session-count.ts';
import { sessionDetails } from './session-details.ts';

const cwd = z.string().optional().describe('Only sessions in this working directory.');

/** The built-in tools about sessions. */
export function sessionTools(sessions: SessionBook): OwnTool[] {
  return [
    defineTool({
      name: 'get_session_count',
      description: 'Counts the sessions (conversations with agents) there are, in all or in one working directory.',
      input: z.object({ cwd }),
      output: z.object({ count: z.int(), cwd: z.string().optional() }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => sessionCount(sessions, args, context),
    }),
    defineTool({
      name: 'list_sessions',
      description: 'Lists sessions with their title, agent, working directory and state, last active first.',
      input: z.object({
        cwd,
        limit: z.int().min(1).max(100).default(20).describe('How many at most.'),
        after: z.string().optional().describe('The "next" of the page before.'),
      }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => listSessions(sessions, args, context),
    }),
    defineTool({
      name: 'get_session_details',
      description:
        'Tells everything about one session: agent, model, working directory, permission mode, state, times, waiting turns.',
      input: z.object({ id: z.string().describe('The id of the session.') }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => sessionDetails(sessions, args, context),
    }),
    defineTool({
      name: 'list_active_sessions',
      description: 'Lists the sessions in which a turn runs now or waits for a human.',
      input: z.object({}),
      effect: 'read',
      idempotent: true,
      run: (_, context) => listActiveSessions(sessions, context),
    }),
  ];
}
