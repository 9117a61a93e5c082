import { omitUndefined } from '../../core/omit-undefined.ts';
import type { Principal } from '../../core/principal.ts';
import type { SessionStore } from '../../journal/store/session-store.ts';
import { cliEnvironment } from '../../runtimes/claude/shared/installation.ts';
import { transcriptIds } from '../../runtimes/claude/shared/transcript.ts';
import type { SessionsOptions } from '../../sessions/create-sessions.ts';
import { type JobSchedulerOptions, JobScheduler } from '../../sessions/schedules/schedules.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { recallMemory } from '../../sessions/turns/running-turn.ts';
import type { TurnRefusal } from '../../sessions/turns/turn-runner.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { jobTools } from '../../sources/local/builtin/job-tools.ts';
import { sessionTools } from '../../sources/local/builtin/session-tools.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';

/** Opens the sessions of a box with the configured agents. Turns that wait since the last run start when `ready` resolves. */
export async function openSessions(
  configured: ConfiguredBox,
  options: Pick<SessionsOptions, 'ready' | 'turnsAtOnce'> = {},
): Promise<Sessions> {
  const [agents, { createSessions }] = await Promise.all([
    configured.agents(),
    import('../../sessions/create-sessions.ts'),
  ]);
  const { box } = configured;
  const refusal: TurnRefusal = (by) => tokenRefusal(box.tokens, by);
  return await createSessions({ box, agents, refusal, ...options });
}

const tokenPrincipal = /^token:(tok_[^/]+)/;

/**
 * Returns the reason why a principal may not start a turn: its token is no longer valid, or is bound to a profile. Sessions use the
 * profile of their agent, which may show more than that of the token.
 */
async function tokenRefusal(tokens: InternalSignalbox['tokens'], { id }: Principal): Promise<string | undefined> {
  const [, tokenId] = tokenPrincipal.exec(id) ?? [];
  if (tokenId === undefined) return undefined;
  const token = await tokens.find(tokenId);
  if (token === undefined) return `the token ${tokenId} does not exist`;
  const ended = { revoked: 'was revoked', expired: 'has expired', active: undefined }[token.state];
  if (ended !== undefined) return `the token ${tokenId} ${ended}`;
  if (token.profile === undefined) return undefined;
  return `the token ${tokenId} is bound to the profile ${token.profile} and cannot start sessions`;
}

const pageSize = 100;

/** Counts the conversations of a directory that Claude Code has stored and that are not sessions of Signalbox. */
async function countClaudeTranscripts(
  cwd: string,
  sessions: Pick<Sessions, 'list'>,
  store: Pick<SessionStore, 'memory'>,
): Promise<number> {
  const others = new Set(await transcriptIds(cwd, cliEnvironment()));
  let after: string | undefined;
  // Most directories have no transcripts, so sessions are read only when there are some.
  while (others.size > 0) {
    const page = await sessions.list({ cwd, limit: pageSize, ...omitUndefined({ after }) });
    for (const { id, runtime } of page.items) {
      if (!runtime.startsWith('claude')) continue;
      const { memory } = recallMemory(await store.memory(id), id, runtime);
      if (typeof memory === 'string') others.delete(memory);
    }
    after = page.next;
    if (after === undefined) break;
  }
  return others.size;
}

/**
 * Opens the schedules and adds the built-in tools about sessions and jobs. Starts the schedules when `ready` resolves; with
 * `runs: false` other processes run the jobs. Close the schedules before the sessions.
 */
export function openSchedules(
  box: InternalSignalbox,
  sessions: Sessions,
  {
    ready,
    runs = true,
    ...options
  }: Pick<JobSchedulerOptions, 'onProblem'> & {
    readonly ready?: Promise<unknown>;
    readonly runs?: boolean;
  },
): JobScheduler {
  const schedules = new JobScheduler({
    store: box.jobStore,
    pubSub: box.shared.pubSub,
    sessions,
    redact: (text) => box.secrets.redact(text),
    refusal: (owner) => tokenRefusal(box.tokens, owner),
    ...options,
  });
  const tools = sessionTools({
    sessions,
    directory: process.cwd(),
    claudeTranscripts: (cwd) => countClaudeTranscripts(cwd, sessions, box.sessionStore),
  });
  for (const tool of [...tools, ...jobTools({ jobs: schedules, sessions })]) box.builtin?.add(tool);
  if (!runs) return schedules;
  if (ready === undefined) schedules.start();
  else void ready.then(() => schedules.start());
  return schedules;
}
