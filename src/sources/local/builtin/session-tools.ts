import * as z from 'zod';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { listActiveSessions, listSessions } from './list-sessions.ts';
import { type SessionCountDependencies, sessionCount } from './session-count.ts';
import { sessionDetails } from './session-details.ts';

const cwd = z.string().optional().describe('Only sessions in this working directory.');

/** The built-in tools about sessions. */
export function sessionTools(dependencies: SessionCountDependencies): OwnTool[] {
  const { sessions } = dependencies;
  return [
    defineTool({
      name: 'get_session_count',
      description:
        'Counts the sessions (conversations with agents) of a working directory: those of Signalbox, and those that Claude Code has stored.',
      input: z.object({
        cwd: z
          .string()
          .optional()
          .describe('The working directory; by default that of the session, or else the default directory.'),
      }),
      output: z.object({
        count: z.int().describe('Both kinds together.'),
        cwd: z.string(),
        signalbox: z.int().describe('Sessions of Signalbox.'),
        claude_code: z.int().describe('Transcripts of Claude Code that belong to no session of Signalbox.'),
      }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => sessionCount(dependencies, args, context),
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
        'Returns the details of one session: agent, model, working directory, permission mode, state, times, waiting turns.',
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
