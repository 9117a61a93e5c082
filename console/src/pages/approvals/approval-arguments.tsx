import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { api } from '../../api/client.ts';
import type { Approval, RevealedArguments } from '../../api/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { openParts } from '../../parts/open-parts.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { hiddenMarks, isUnread, revealedMarks } from './hidden-marks.ts';

/** How the reader took note of parts that are hidden and are not registered secret values. */
export interface HiddenParts {
  /** Approving has to wait for a reveal or an acknowledgement. */
  readonly isUnread: boolean;
  readonly isAcknowledged: boolean;
  readonly revealed: RevealedArguments | undefined;
  readonly isRevealing: boolean;
  readonly error: Error | null;
  acknowledge(isAcknowledged: boolean): void;
  reveal(): void;
}

/** Reveals hidden parts. The answer stays in this component: no cache has what was hidden. */
export function useHiddenParts(
  { id, hidden }: Approval,
  [isAcknowledged, acknowledge]: readonly [boolean, (isAcknowledged: boolean) => void],
): HiddenParts {
  const { data, error, isPending, mutate } = useMutation({
    gcTime: 0,
    mutationFn: () => api('POST /api/approvals/{id}/reveal', { path: { id } }),
  });
  return {
    isUnread: isUnread(hidden) && data === undefined && !isAcknowledged,
    isAcknowledged,
    revealed: data,
    isRevealing: isPending,
    error,
    acknowledge,
    reveal: () => mutate(),
  };
}

/** The whole arguments: everything is open unless there is too much of it, folded parts and long texts say how much of them is folded, and hidden parts are marked. */
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
  const open = useMemo(() => openParts(shown), [shown]);
  const marks = useMemo(
    () => (revealed === undefined ? hiddenMarks(hidden) : revealedMarks(hidden, revealed.hidden)),
    [hidden, revealed],
  );
  const group = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (revealed !== undefined) group.current?.focus();
  }, [revealed]);
  return (
    <>
      <div ref={group} className="payload whole" role="group" aria-label="Arguments" tabIndex={-1}>
        <JsonView value={shown} open={open} marks={marks} />
      </div>
      {isUnread(hidden) && revealed === undefined ? (
        <div className="note amber hidden-parts">
          <Icon name="warning" />
          <div className="note-text">
            <strong>Parts of these arguments are hidden</strong>
            <p>They look like secrets, but are not registered ones: they can be anything, and they run as they are.</p>
            {canAnswer ? (
              <div className="hidden-choices">
                <Button
                  asks="POST /api/approvals/{id}/reveal"
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
                  <span>Approve without seeing the hidden parts (this is recorded)</span>
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
