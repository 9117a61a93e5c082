import { resolve } from 'node:path';
import * as z from 'zod';
import { SignalboxError } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { type SignalboxTool, defineTool } from '../define-tool.ts';
import {
  type SessionDescription,
  type SessionLookup,
  type ToolCaller,
  callerScopeOf,
  findSession,
} from './caller-scope.ts';

const sessionPage = z.object({
  cwd: z.string().optional().describe('Only sessions in this working directory.'),
  limit: z.int().min(1).max(100).default(20).describe('The maximum number of sessions.'),
  after: z.string().optional().describe('The "next" of the previous page.'),
});
const sessionCounts = z.object({
  count: z.int().describe('The total of both kinds.'),
  cwd: z.string(),
  signalbox: z.int().describe('Sessions of Signalbox.'),
  claude_code: z.int().describe('Transcripts of Claude Code that belong to no session of Signalbox.'),
});

/** Creates the built-in tools for sessions. */
export function sessionTools(dependencies: SessionCountDependencies): SignalboxTool[] {
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
      output: sessionCounts,
      effect: 'read',
      idempotent: true,
      run: (args, context) => sessionCount(dependencies, args, context),
    }),
    defineTool({
      name: 'list_sessions',
      description: 'Lists sessions with their title, agent, working directory and state, last active first.',
      input: sessionPage,
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

/** A session in a list. */
export type SessionLine = Pick<SessionDescription, 'id' | 'title' | 'agent' | 'cwd' | 'state' | 'activeAt'>;

/** The result of `list_sessions` and `list_active_sessions`. */
export interface SessionList {
  readonly sessions: readonly SessionLine[];
  /** The cursor of the next page, for `after`; absent on the last page. */
  readonly next?: string;
}

/** Lists the sessions that are visible to the caller, last active first. */
export async function listSessions(
  sessions: SessionLookup,
  { cwd, limit, after }: z.infer<typeof sessionPage>,
  caller: ToolCaller,
  active = false,
): Promise<SessionList> {
  const { only } = await callerScopeOf(caller, sessions);
  const search = omitUndefined({ limit, cwd, after, owner: only });
  const { items, next } = await sessions.list(active ? { ...search, active } : search);
  return omitUndefined({ sessions: items.map(line), next });
}

/** Lists the visible sessions with a running or waiting turn. */
export async function listActiveSessions(sessions: SessionLookup, caller: ToolCaller): Promise<SessionList> {
  return await listSessions(sessions, { limit: 100 }, caller, true);
}

function line({ id, title, agent, cwd, state, activeAt }: SessionDescription): SessionLine {
  return { id, title, agent, cwd, state, activeAt };
}

/** Dependencies of `get_session_count`. */
export interface SessionCountDependencies {
  readonly sessions: SessionLookup;
  /** The default directory of sessions. */
  readonly directory: string;
  /** Counts the conversations of a directory that Claude Code has stored and that are not sessions of Signalbox. */
  claudeTranscripts(cwd: string): Promise<number>;
}

/** Counts the sessions of a directory: by default that of the caller's session, or else the default directory. */
export async function sessionCount(
  { sessions, directory, claudeTranscripts }: SessionCountDependencies,
  args: { readonly cwd?: string | undefined },
  caller: ToolCaller,
): Promise<z.infer<typeof sessionCounts>> {
  const { session, only } = await callerScopeOf(caller, sessions);
  const near = session?.cwd ?? directory;
  const cwd = args.cwd === undefined ? near : resolve(near, args.cwd);
  const [signalbox, claudeCode] = await Promise.all([
    sessions.count(omitUndefined({ cwd, owner: only })),
    claudeTranscripts(cwd),
  ]);
  return { count: signalbox + claudeCode, cwd, signalbox, claude_code: claudeCode };
}

/** Returns a session that is visible to the caller. */
export async function sessionDetails(
  sessions: SessionLookup,
  { id }: { readonly id: string },
  caller: ToolCaller,
): Promise<Omit<SessionDescription, 'owner'> & { readonly owner: string }> {
  const { only } = await callerScopeOf(caller, sessions);
  const session = await findSession(sessions, id);
  // The same message for both cases, so that the existence of an invisible session is not revealed.
  if (session === undefined || (only !== undefined && session.owner.id !== only))
    throw new SignalboxError('session-unknown', `there is no session ${id.slice(0, 100)} that you can see`);
  const { title, agent, model, cwd, state, permissionMode, owner, createdAt, activeAt, queued } = session;
  const { forkedFrom, lastTurn } = session;
  return omitUndefined({
    id,
    title,
    agent,
    model,
    cwd,
    state,
    permissionMode,
    owner: owner.id,
    createdAt,
    activeAt,
    queued,
    forkedFrom,
    lastTurn,
  });
}
