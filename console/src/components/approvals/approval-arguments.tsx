import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { api } from '../../api/client.ts';
import type { Approval, RevealedArguments } from '../../api/schema.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { JsonView } from '../text/json-view.tsx';
import { initiallyOpen } from '../text/initially-open.ts';
import { ProblemNote } from '../problem-note.tsx';
import { hiddenMarks, needsReveal, revealedMarks } from './hidden-marks.ts';

/** The state of hidden parts that are not registered secrets. */
export interface HiddenParts {
  /** Approving requires a reveal or an acknowledgement first. */
  readonly needsReveal: boolean;
  readonly isAcknowledged: boolean;
  readonly revealed: RevealedArguments | undefined;
  readonly isRevealing: boolean;
  readonly error: Error | null;
  acknowledge(isAcknowledged: boolean): void;
  reveal(): void;
}

/** Reveals hidden parts. The response stays in this component and is never cached. */
export function useHiddenParts(
  { id, hidden }: Approval,
  [isAcknowledged, acknowledge]: readonly [boolean, (isAcknowledged: boolean) => void],
): HiddenParts {
  const { data, error, isPending, mutate } = useMutation({
    gcTime: 0,
    mutationFn: () => api('POST /api/approvals/{id}/reveal', { path: { id } }),
  });
  return {
    needsReveal: needsReveal(hidden) && data === undefined && !isAcknowledged,
    isAcknowledged,
    revealed: data,
    isRevealing: isPending,
    error,
    acknowledge,
    reveal: () => mutate(),
  };
}

/** The complete arguments of a call. Large values and long texts are folded with their size; hidden parts are marked. */
export function ApprovalArguments({
  approval: { arguments: args, hidden },
  parts,
  canAnswer,
  shortcut,
}: {
  readonly approval: Approval;
  readonly parts: HiddenParts;
  readonly canAnswer: boolean;
  readonly shortcut: { readonly shortcut?: string };
}): ReactNode {
  const { revealed } = parts;
  const shown = revealed?.arguments ?? args;
  const open = useMemo(() => initiallyOpen(shown), [shown]);
  const marks = useMemo(
    () => (revealed === undefined ? hiddenMarks(hidden) : revealedMarks(hidden, revealed.hidden)),
    [hidden, revealed],
  );
  const group = useRef<HTMLDivElement>(null);
  // The focused button was removed.
  useEffect(() => {
    if (revealed !== undefined) group.current?.focus();
  }, [revealed]);
  return (
    <>
      <div ref={group} className="payload whole" role="group" aria-label="Arguments" tabIndex={-1}>
        <JsonView value={shown} open={open} marks={marks} />
      </div>
      {needsReveal(hidden) && revealed === undefined ? (
        <div className="note amber hidden-parts">
          <Icon name="warning" />
          <div className="note-text">
            <strong>Some arguments are hidden</strong>
            <p>
              They look like secrets but are not registered secrets. They can contain anything, and run as they are.
            </p>
            {canAnswer ? (
              <div className="hidden-choices">
                <Button
                  operation="POST /api/approvals/{id}/reveal"
                  icon="eye"
                  isBusy={parts.isRevealing}
                  onClick={() => parts.reveal()}
                  {...shortcut}
                >
                  Reveal
                </Button>
                <label className="check-field">
                  <input
                    type="checkbox"
                    checked={parts.isAcknowledged}
                    onChange={(event) => parts.acknowledge(event.target.checked)}
                  />
                  <span>Approve without viewing the hidden parts (recorded in the journal)</span>
                </label>
              </div>
            ) : undefined}
            {parts.error === null ? undefined : <ProblemNote error={parts.error} />}
          </div>
        </div>
      ) : undefined}
    </>
  );
}
