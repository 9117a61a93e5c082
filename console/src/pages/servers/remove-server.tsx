import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** Asks once more before a server is taken out of the configuration. */
export function RemoveServer({ name, onClose }: { readonly name: string; readonly onClose: () => void }): ReactNode {
  const cache = useQueryClient();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => api('DELETE /api/servers/{name}', { path: { name } }),
    onSuccess: () => {
      tell.done(`${name} is removed.`);
      navigate('/servers');
      cache.removeQueries({ queryKey: ['servers', name] });
      void cache.invalidateQueries({ queryKey: ['servers'] });
    },
  });
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <p>
        It is taken out of the configuration file and ended, and its tools are gone from every client. What it did stays
        on record.
      </p>
      {remove.error === null ? undefined : <ProblemNote error={remove.error} />}
      <div className="actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" icon="trash" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
