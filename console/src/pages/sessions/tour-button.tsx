import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';

/** Begins the tour, where there is what it shows: the demo model, and the demo server, which goes when another one comes. */
export function TourButton(): ReactNode {
  const { data: agents } = useQuery(queries.agents());
  const { data: servers = [] } = useQuery(queries.servers());
  const tell = useTell();
  const demo = agents?.items.find(({ model }) => model === 'demo');
  const tour = useMutation({
    mutationFn: async (agent: string) => {
      const session = await api('POST /api/sessions', { body: { agent, title: 'The tour' } });
      await api('POST /api/sessions/{id}/messages', { path: { id: session.id }, body: { content: 'run the tour' } });
      return session.id;
    },
    onSuccess: (id) => navigate(`/sessions/${id}`),
    onError: (error) => tell.problem(error),
  });
  if (demo === undefined || !servers.some(({ name }) => name === 'demo')) return undefined;
  return (
    <Button asks="POST /api/sessions" kind="primary" isBusy={tour.isPending} onClick={() => tour.mutate(demo.name)}>
      Take the tour (no key needed)
    </Button>
  );
}
