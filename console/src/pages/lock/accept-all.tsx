import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { ServerStanding } from '../../api/schema.ts';
import { useToaster } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';

/** Accepts the displayed definitions of every changed server. Hidden for a single server, which has its own button. */
export function AcceptAll({ changed }: { readonly changed: readonly ServerStanding[] }): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const accept = useMutation({
    mutationFn: async () => {
      for (const { server, fingerprint } of changed)
        await api('POST /api/lock/{server}/accept', {
          path: { server },
          body: fingerprint === undefined ? {} : { seen: fingerprint },
        });
    },
    onSuccess: () => toaster.success(`Accepted ${changed.length} servers`),
    onError: (problem) => toaster.error(problem),
    onSettled: () => {
      for (const key of ['lock', 'tools', 'servers']) void cache.invalidateQueries({ queryKey: [key] });
    },
  });
  if (changed.length < 2) return undefined;
  return (
    <div className="actions">
      <Button
        operation="POST /api/lock/{server}/accept"
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
