import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import type { Undone } from '../../journal/entries/journal-event.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Principal } from '../../core/principal.ts';
import type { ToolContext } from '../../core/tools/tool-context.ts';
import { messageOf } from '../../core/errors.ts';
import type { CallId } from '../../core/identifiers.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { type AdmittedCall, timeoutOf } from '../call-lifecycle.ts';
import { entryDraft } from '../recording/entry-draft.ts';
import type { SessionStates } from '../handler/session-states.ts';
import type { Waits } from '../limits/waits.ts';

/** Dependencies of `Compensations`. */
export interface CompensationParts {
  readonly catalog: Catalog;
  readonly journal: Journal;
  readonly redactor: Redactor;
  readonly states: SessionStates;
  readonly waits: Waits;
  readonly timeoutMs: number;
}

/** A run of a tool's undo function for one call. */
export interface Compensation {
  readonly call: string;
  readonly session: string | undefined;
  readonly tool: CatalogTool;
  readonly args: unknown;
  readonly principal: Principal;
  /** The number of earlier runs, when this is a rerun. */
  readonly earlier?: number;
}

/** The result of a compensation. `taken`: another compensation has begun for the call, so this one did not run. */
export type Compensated =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: string; readonly taken: boolean };

const systemPrincipal: Principal = { id: 'signalbox', kind: 'system' };

/** Runs the undo functions of tools, at most once for each call unless requested again. The start is recorded before the run. */
export class Compensations {
  readonly #parts: CompensationParts;

  constructor(parts: CompensationParts) {
    this.#parts = parts;
  }

  /** Runs the undo function of a call that may have acted and did not complete. Returns the problem, if there was one. */
  async afterFailure({ id, session, tool, args: { value: args } }: AdmittedCall): Promise<string | undefined> {
    const compensation = { call: id, session, tool, args, principal: systemPrincipal };
    const done = await this.run(compensation);
    if (!done.ok && done.taken) return done.problem;
    const problem = done.ok ? undefined : done.problem;
    const result = done.ok ? 'undone' : 'failed';
    const ending = { result, changes: 0, conflicts: [], ...omitUndefined({ error: problem }) } as const;
    try {
      await this.record(compensation, tool.definition.name, ending);
    } catch (error) {
      return problem ?? `it was run, but that could not be recorded: ${messageOf(error)}`;
    }
    return problem;
  }

  /** Records that the workspace changes of a call could not be rolled back. The outcome of the call reports it, too. */
  async rollbackFailed({ id, session, tool }: AdmittedCall, error: string): Promise<void> {
    const ending = { result: 'failed', changes: 0, conflicts: [], error } as const;
    // An unavailable journal must not replace the outcome of the call.
    await this.record({ call: id, session, principal: systemPrincipal }, tool.definition.name, ending).catch(
      () => undefined,
    );
  }

  /** Runs an undo function, unless another process has begun it. */
  async run(compensation: Compensation): Promise<Compensated> {
    const { journal, redactor, waits, timeoutMs } = this.#parts;
    const { call, session, tool, args, principal, earlier = 0 } = compensation;
    try {
      const key = earlier === 0 ? `undo ${call}` : `undo ${call} ${earlier}`;
      const about = { call, session, tool: tool.definition.name };
      const draft = entryDraft('UndoStarted', { principal }, redactor, about);
      const begun = await journal.append({ ...draft, claim: { key, fingerprint: '' } }, 'power-loss');
      if (begun === undefined)
        return {
          ok: false,
          taken: true,
          problem: `the undo of ${call} is being run by another process; it is not run twice`,
        };
      const deadline = Date.now() + timeoutOf(tool, timeoutMs);
      const giveUp = new AbortController();
      const undoing = Promise.resolve(tool.offered.undo?.(args, this.#context(compensation, deadline, giveUp.signal)));
      const waited = await waits.until(undoing, undefined, deadline, () => giveUp.abort());
      return 'value' in waited ? { ok: true } : { ok: false, taken: false, problem: 'it did not end in time' };
    } catch (error) {
      return { ok: false, taken: false, problem: redactor.text(messageOf(error)) };
    }
  }

  /** Records the end of an undo. */
  async record(
    { call, session, principal }: Pick<Compensation, 'call' | 'session' | 'principal'>,
    tool: string,
    ending: Pick<Undone, 'result' | 'changes' | 'conflicts' | 'error'>,
  ): Promise<void> {
    const { journal, redactor } = this.#parts;
    await journal.append(entryDraft('Undone', { principal, ...ending }, redactor, { call, session, tool }), 'crash');
  }

  /** Returns the tool that currently has this name. */
  find(tool: string): CatalogTool | undefined {
    return this.#parts.catalog.find(tool);
  }

  #context({ call, session, tool, principal }: Compensation, deadline: number, signal: AbortSignal): ToolContext {
    const state = this.#parts.states.of(session, tool.source.server);
    return { callId: call as CallId, session, principal, signal, deadline, progress: () => undefined, state };
  }
}
