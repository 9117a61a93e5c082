import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { navigate } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

/** Confirms the removal of a server. */
export function RemoveServer({ name, onClose }: { readonly name: string; readonly onClose: () => void }): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const remove = useMutation({
    mutationFn: () => api('DELETE /api/servers/{name}', { path: { name } }),
    onSuccess: () => {
      toaster.success(`Removed ${name}`);
      navigate('/servers');
      cache.removeQueries({ queryKey: ['servers', name] });
      void cache.invalidateQueries({ queryKey: ['servers'] });
    },
  });
  return (
    <Dialog title={`Remove ${name}?`} onClose={onClose}>
      <p>
        The server is stopped and removed from the configuration file, and clients lose its tools. Recorded calls stay
        in the journal.
      </p>
      {remove.error === null ? undefined : <ProblemNote error={remove.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" icon="trash" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          Remove
        </Button>
      </div>
    </Dialog>
  );
}
