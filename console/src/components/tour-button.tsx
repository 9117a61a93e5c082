import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { navigate } from '../app/router.tsx';
import { useToaster } from '../app/toasts.tsx';
import { Button } from './button.tsx';

/** Returns whether the tools of the tour are available. */
export function useHasTourTools(): boolean {
  const { data: servers = [] } = useQuery(queries.servers());
  return servers.some(({ name, status }) => name === 'demo' && status === 'up');
}

/** Starts the tour. Rendered only while the demo model and the demo server are available. */
export function TourButton(): ReactNode {
  const { data: agents } = useQuery(queries.agents());
  const hasTools = useHasTourTools();
  const toaster = useToaster();
  const demo = agents?.items.find(({ model }) => model === 'demo');
  const tour = useMutation({
    mutationFn: async (agent: string) => {
      const session = await api('POST /api/sessions', { body: { agent, title: 'The tour' } });
      await api('POST /api/sessions/{id}/messages', { path: { id: session.id }, body: { content: 'run the tour' } });
      return session.id;
    },
    onSuccess: (id) => navigate(`/sessions/${id}`),
    onError: (error) => toaster.error(error),
  });
  if (demo === undefined || !hasTools) return undefined;
  return (
    <Button
      operation="POST /api/sessions"
      kind="primary"
      isBusy={tour.isPending}
      onClick={() => tour.mutate(demo.name)}
    >
      Take the tour (no key needed)
    </Button>
  );
}
