import type { SessionStore } from '../../journal/session-store.ts';
import { cliEnvironment } from '../../runtimes/claude/shared/cli-environment.ts';
import { transcriptIds } from '../../runtimes/claude/shared/transcript-file.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { recallTurn } from '../../sessions/turn-memory.ts';

const pageSize = 100;

/** Counts the conversations of a directory that Claude Code has stored and that are not sessions of Signalbox. */
export async function countClaudeTranscripts(
  cwd: string,
  sessions: Pick<Sessions, 'list'>,
  store: Pick<SessionStore, 'memory'>,
): Promise<number> {
  const others = new Set(await transcriptIds(cwd, cliEnvironment()));
  let after: string | undefined;
  // Most directories have no transcripts, so sessions are read only when there are some.
  while (others.size > 0) {
    const page = await sessions.list({ cwd, limit: pageSize, ...(after === undefined ? {} : { after }) });
    for (const { id, runtime } of page.items) {
      if (!runtime.startsWith('claude')) continue;
      const { memory } = recallTurn(await store.memory(id), id, runtime);
      if (typeof memory === 'string') others.delete(memory);
    }
    after = page.next;
    if (after === undefined) break;
  }
  return others.size;
}
