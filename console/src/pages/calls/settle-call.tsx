import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { EndedCallDetails } from '../../api/schema.ts';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { momentText } from '../../parts/moment.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const asked = 'POST /api/calls/{id}/settle';

/** Says how a call ended of which nobody knows. */
export function SettleCall({ call: { callId, settled } }: { readonly call: EndedCallDetails }): ReactNode {
  const [note, setNote] = useState('');
  const cache = useQueryClient();
  const tell = useTell();
  const settle = useMutation({
    mutationFn: (as: 'completed' | 'failed') =>
      api(asked, {
        path: { id: callId },
        body: { as, ...(note.trim() === '' ? {} : { note: note.trim() }) },
      }),
    onSuccess: () => tell.done('Settled.'),
    onSettled: () => void cache.invalidateQueries({ queryKey: queries.call(callId).queryKey }),
  });
  if (settled !== undefined)
    return (
      <p>
        Settled as <strong>{settled.as}</strong> by <PrincipalName of={settled.by} /> at {momentText(settled.at)}
        {settled.note === undefined ? '' : `: “${settled.note}”`}
      </p>
    );
  return (
    <form className="settle" onSubmit={(event) => event.preventDefault()}>
      <p>
        Signalbox was cut off while this ran. Find out whether the tool did its work, and say so: nothing is run again,
        and later deliveries of the call get your answer.
      </p>
      <label className="field">
        <span>How do you know? (may be left empty)</span>
        <input maxLength={1000} value={note} onChange={(event) => setNote(event.target.value)} />
      </label>
      {settle.error === null ? undefined : <ProblemNote error={settle.error} />}
      <div className="actions">
        <Button asks={asked} icon="check" isBusy={settle.isPending} onClick={() => settle.mutate('completed')}>
          It completed
        </Button>
        <Button asks={asked} icon="close" isBusy={settle.isPending} onClick={() => settle.mutate('failed')}>
          It did not
        </Button>
      </div>
    </form>
  );
}
