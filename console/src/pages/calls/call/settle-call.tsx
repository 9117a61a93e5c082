import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import type { EndedCallDetails } from '../../../api/schema.ts';
import { useToaster } from '../../../app/toasts.tsx';
import { Button } from '../../../components/button.tsx';
import { formatTimestamp } from '../../../components/time.tsx';
import { PrincipalName } from '../../../components/calls/principal-name.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';

const operation = 'POST /api/calls/{id}/settle';

/** Records the outcome of a call whose outcome is unknown. */
export function SettleCall({ call: { callId, settled } }: { readonly call: EndedCallDetails }): ReactNode {
  const [note, setNote] = useState('');
  const cache = useQueryClient();
  const toaster = useToaster();
  const settle = useMutation({
    mutationFn: (as: 'completed' | 'failed') =>
      api(operation, {
        path: { id: callId },
        body: { as, ...(note.trim() === '' ? {} : { note: note.trim() }) },
      }),
    onSuccess: () => toaster.success('Outcome recorded'),
    onSettled: () => void cache.invalidateQueries({ queryKey: queries.call(callId).queryKey }),
  });
  if (settled !== undefined)
    return (
      <p>
        Settled as <strong>{settled.as}</strong> by <PrincipalName of={settled.by} /> at {formatTimestamp(settled.at)}
        {settled.note === undefined ? '' : `: “${settled.note}”`}
      </p>
    );
  return (
    <form className="settle" onSubmit={(event) => event.preventDefault()}>
      <p>
        Signalbox stopped while this call ran. Check whether the tool completed, and record the outcome. The call does
        not run again; retries of it get this outcome.
      </p>
      <label className="field">
        <span>Note (optional)</span>
        <input maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
      </label>
      {settle.error === null ? undefined : <ProblemNote error={settle.error} />}
      <div className="actions">
        <Button operation={operation} icon="check" isBusy={settle.isPending} onClick={() => settle.mutate('completed')}>
          Completed
        </Button>
        <Button operation={operation} icon="close" isBusy={settle.isPending} onClick={() => settle.mutate('failed')}>
          Did not complete
        </Button>
      </div>
    </form>
  );
}
