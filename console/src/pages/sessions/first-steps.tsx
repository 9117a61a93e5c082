import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ConnectAgent } from '../servers/connect-agent.tsx';
import { ImportServers } from './import-servers.tsx';

/** What somebody new can do next. */
export function FirstSteps({ onNew }: { readonly onNew: () => void }): ReactNode {
  const { data: agents } = useQuery(queries.agents());
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
  return (
    <section className="steps" aria-label="First steps">
      <div className="card step">
        <Icon name="sessions" />
        <div className="step-words">
          <h2>Talk to an agent</h2>
          <p>Every tool it calls is decided, recorded and, where that is possible, can be undone.</p>
          <div className="step-actions">
            {demo === undefined ? undefined : (
              <Button kind="primary" isBusy={tour.isPending} onClick={() => tour.mutate(demo.name)}>
                Take the tour (no key needed)
              </Button>
            )}
            <Button icon="plus" onClick={onNew}>
              New session
            </Button>
          </div>
        </div>
      </div>
      <ImportServers />
      <ConnectAgent />
    </section>
  );
}
