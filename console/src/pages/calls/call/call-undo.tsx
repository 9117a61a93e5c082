import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError, api } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import type { CallDetails, UndoRequest } from '../../../api/schema.ts';
import { useToaster } from '../../../app/toasts.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';

const operation = 'POST /api/calls/{id}/undo';

/** Undoes a call. Files that were changed since are listed and left alone. */
export function CallUndo({ call: { callId, undo, ownUndo } }: { readonly call: CallDetails }): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const undoCall = useMutation({
    mutationFn: (body: UndoRequest) => api(operation, { path: { id: callId }, body }),
    onSuccess: ({ outcome }) => {
      if (outcome === 'undone') toaster.success('Call undone');
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: queries.call(callId).queryKey }),
  });
  const isConflict = undoCall.error instanceof ProblemError && undoCall.error.code === 'undo-conflict';
  const canUndoRest = isConflict || (undo.state === 'blocked' && undo.canDoTheRest);
  return (
    <div className="call-undo">
      {undo.state === 'undone' ? <Badge tone="gray">undone</Badge> : undefined}
      {undo.state === 'unavailable' ? <p className="faint">{undo.reason}</p> : undefined}
      {undo.state === 'blocked' ? <p>Cannot undo: {undo.reason}</p> : undefined}
      {undoCall.error === null ? undefined : <ProblemNote error={undoCall.error} />}
      {undoCall.data === undefined || undoCall.data.outcome === 'undone' ? undefined : (
        <div className="note amber" role="status">
          <div className="note-text">
            <strong>{undoCall.data.outcome === 'failed' ? 'Undo failed' : 'Partly undone'}</strong>
            {undoCall.data.error === undefined ? undefined : <p>{undoCall.data.error}</p>}
            <ul>
              {undoCall.data.conflicts.map(({ path, reason }) => (
                <li key={path}>
                  <code>{path}</code> {reason}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {undo.state === 'ready' || undo.state === 'blocked' ? (
        <div className="actions">
          {undo.state === 'ready' && !isConflict ? (
            <Button operation={operation} icon="undo" isBusy={undoCall.isPending} onClick={() => undoCall.mutate({})}>
              Undo
            </Button>
          ) : undefined}
          {canUndoRest ? (
            <Button
              operation={operation}
              icon="undo"
              isBusy={undoCall.isPending}
              onClick={() => undoCall.mutate({ partial: true })}
            >
              Undo the rest, keep newer changes
            </Button>
          ) : undefined}
          {undo.state === 'blocked' && ownUndo === true ? (
            <Button operation={operation} isBusy={undoCall.isPending} onClick={() => undoCall.mutate({ again: true })}>
              Retry the tool’s undo
            </Button>
          ) : undefined}
        </div>
      ) : undefined}
    </div>
  );
}
