import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { CallDetails, UndoRequest } from '../../api/schema.ts';
import { useTell } from '../../app/toasts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const asked = 'POST /api/calls/{id}/undo';

/** Takes back what a call changed. What was changed since is shown, and left as it is. */
export function CallUndo({ call: { callId, undo, ownUndo } }: { readonly call: CallDetails }): ReactNode {
  const cache = useQueryClient();
  const tell = useTell();
  const taking = useMutation({
    mutationFn: (body: UndoRequest) => api(asked, { path: { id: callId }, body }),
    onSuccess: ({ outcome }) => {
      if (outcome === 'undone') tell.done('Taken back: everything is as it was before the call.');
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: queries.call(callId).queryKey }),
  });
  const isConflict = taking.error instanceof ProblemError && taking.error.code === 'undo-conflict';
  const canDoTheRest = isConflict || (undo.state === 'blocked' && undo.canDoTheRest);
  return (
    <div className="call-undo">
      {undo.state === 'undone' ? <Badge tone="grey">undone</Badge> : undefined}
      {undo.state === 'unavailable' ? <p className="faint">{undo.reason}</p> : undefined}
      {undo.state === 'blocked' ? <p>Something stands in the way: {undo.reason}</p> : undefined}
      {taking.error === null ? undefined : <ProblemNote error={taking.error} />}
      {taking.data === undefined || taking.data.outcome === 'undone' ? undefined : (
        <div className="note amber" role="status">
          <div className="note-text">
            <strong>{taking.data.outcome === 'failed' ? 'The undo failed' : 'Not everything was taken back'}</strong>
            {taking.data.error === undefined ? undefined : <p>{taking.data.error}</p>}
            <ul>
              {taking.data.conflicts.map(({ path, reason }) => (
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
            <Button asks={asked} icon="undo" isBusy={taking.isPending} onClick={() => taking.mutate({})}>
              Undo
            </Button>
          ) : undefined}
          {canDoTheRest ? (
            <Button asks={asked} icon="undo" isBusy={taking.isPending} onClick={() => taking.mutate({ partial: true })}>
              Undo the rest, leave what was changed since
            </Button>
          ) : undefined}
          {undo.state === 'blocked' && ownUndo === true ? (
            <Button asks={asked} isBusy={taking.isPending} onClick={() => taking.mutate({ again: true })}>
              Run the tool’s own undo again
            </Button>
          ) : undefined}
        </div>
      ) : undefined}
    </div>
  );
}
