import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { ServerStanding } from '../../api/schema.ts';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';

/** Accepts exactly what is shown of every server that changed. Not offered for one: that has a button of its own. */
export function AcceptAll({ changed }: { readonly changed: readonly ServerStanding[] }): ReactNode {
  const cache = useQueryClient();
  const tell = useTell();
  const accept = useMutation({
    mutationFn: async () => {
      for (const { server, fingerprint } of changed)
        await api('POST /api/lock/{server}/accept', {
          path: { server },
          body: fingerprint === undefined ? {} : { seen: fingerprint },
        });
    },
    onSuccess: () => tell.done(`${changed.length} servers are accepted as they are now.`),
    onError: (problem) => tell.problem(problem),
    onSettled: () => {
      for (const key of ['lock', 'tools', 'servers']) void cache.invalidateQueries({ queryKey: [key] });
    },
  });
  if (changed.length < 2) return undefined;
  return (
    <div className="actions">
      <Button
        asks="POST /api/lock/{server}/accept"
        kind="primary"
        icon="check"
        isBusy={accept.isPending}
        onClick={() => accept.mutate()}
      >
        Accept all {changed.length} servers
      </Button>
    </div>
  );
}
