import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';

/** What somebody new can do next. */
export function FirstSteps({ isEmpty, onNew }: { readonly isEmpty: boolean; readonly onNew: () => void }): ReactNode {
  const { data: agents } = useQuery(queries.agents());
  const tell = useTell();
  const demo = agents?.items.find(({ model, name }) => model === 'demo' || name === 'demo');
  const tour = useMutation({
    mutationFn: async (agent: string) => {
      const session = await api('POST /api/sessions', { body: { agent, title: 'The tour' } });
      await api('POST /api/sessions/{id}/messages', { path: { id: session.id }, body: { content: 'run the tour' } });
      return session.id;
    },
    onSuccess: (id) => navigate(`/sessions/${id}`),
    onError: (error) => tell.problem(error),
  });
  if (!isEmpty) return undefined;
  return (
    <EmptyState icon="sessions" title="Begin a conversation">
      <p>
        An agent answers here, and every tool it calls is decided, recorded and, where that is possible, can be undone.
      </p>
      <div className="actions">
        {demo === undefined ? undefined : (
          <Button kind="primary" isBusy={tour.isPending} onClick={() => tour.mutate(demo.name)}>
            Take the tour (no key needed)
          </Button>
        )}
        <Button icon="plus" onClick={onNew}>
          New session
        </Button>
      </div>
    </EmptyState>
  );
}
