import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { ServerDetails } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { TimeAgo, Timestamp } from '../../components/time.tsx';
import { RemoveServer } from './remove-server.tsx';
import { ServerStatus } from './server-status.tsx';
import { SignIn } from './sign-in.tsx';

// Error output emits no live event.
const pollMs = 3000;

/** One server: status, actions, facts and error output. */
export function ServerDetail({ name }: { readonly name: string }): ReactNode {
  const { data: server, error, refetch } = useQuery({ ...queries.server(name), refetchInterval: pollMs });
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (server === undefined) return undefined;
  return (
    <article className="detail">
      <header className="detail-head">
        <h2>{name}</h2>
        <ServerStatus server={server} />
      </header>
      {server.reason === undefined || server.needsSignIn === true ? undefined : (
        <p className="note red said-last">{server.reason}</p>
      )}
      <SignIn server={server} />
      <ServerActions server={server} />
      <ServerFacts server={server} />
      {server.health === undefined ? undefined : <ErrorOutput lines={server.stderr} />}
    </article>
  );
}

type Action = 'restart' | 'enable' | 'disable';

const doneTexts: Readonly<Record<Action, string>> = {
  restart: 'restarted',
  enable: 'enabled',
  disable: 'disabled until you enable it or Signalbox restarts',
};

function ServerActions({ server }: { readonly server: ServerDetails }): ReactNode {
  const { name, status, health, configured } = server;
  const cache = useQueryClient();
  const toaster = useToaster();
  const [isRemoving, setRemoving] = useState(false);
  const change = useMutation({
    mutationFn: (action: Action) => api(`POST /api/servers/{name}/${action}`, { path: { name } }),
    onSuccess: (state, action) => {
      if (action === 'restart' && state.status === 'down')
        toaster.error(new Error(state.reason ?? 'The server is still down'));
      else toaster.success(`${name} ${doneTexts[action]}`);
    },
    onError: (problem) => toaster.error(problem),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['servers'] }),
  });
  const isBusy = (action: Action): boolean => change.isPending && change.variables === action;
  return (
    <div className="actions server-actions">
      {health === undefined || status === 'disabled' ? undefined : (
        <Button
          operation="POST /api/servers/{name}/restart"
          isBusy={isBusy('restart')}
          onClick={() => change.mutate('restart')}
        >
          Restart
        </Button>
      )}
      {status === 'disabled' ? (
        <Button
          operation="POST /api/servers/{name}/enable"
          kind="primary"
          isBusy={isBusy('enable')}
          onClick={() => change.mutate('enable')}
        >
          Enable
        </Button>
      ) : (
        <Button
          operation="POST /api/servers/{name}/disable"
          isBusy={isBusy('disable')}
          onClick={() => change.mutate('disable')}
        >
          Disable
        </Button>
      )}
      {configured ? (
        <Button operation="DELETE /api/servers/{name}" kind="danger" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
      ) : undefined}
      {isRemoving ? <RemoveServer name={name} onClose={() => setRemoving(false)} /> : undefined}
    </div>
  );
}

const sinceLabels = { up: 'Up since', down: 'Down since', disabled: 'Disabled since' } as const;

function ServerFacts({ server }: { readonly server: ServerDetails }): ReactNode {
  const { name, adapter, since, status, reason, tools, required, health, configured } = server;
  const { data: catalog } = useQuery(queries.tools());
  const hidden = catalog?.hidden.filter((each) => each.server === name).length ?? 0;
  const facts: readonly (readonly [string, ReactNode] | undefined)[] = [
    [sinceLabels[status], <TimeAgo key="since" at={since} />],
    [
      'Tools',
      <Link key="tools" to={`/tools?server=${encodeURIComponent(name)}`}>
        {tools} offered{hidden === 0 ? '' : `, ${hidden} hidden`}
      </Link>,
    ],
    ['Adapter', <code key="adapter">{adapter}</code>],
    health?.serverInfo === undefined ? undefined : ['Reported as', reportedName(health.serverInfo)],
    health?.protocolVersion === undefined ? undefined : ['MCP version', health.protocolVersion],
    health === undefined ? undefined : ['Reconnects', String(health.restarts)],
    health?.lastError === undefined || reason?.includes(health.lastError) === true
      ? undefined
      : ['Last error', health.lastError],
    health?.nextRetryAt === undefined ? undefined : ['Next attempt', <Clock key="retry" at={health.nextRetryAt} />],
    required === true ? ['Required', 'Agent turns and the readiness probe depend on it'] : undefined,
    health === undefined ? ['Restart', 'Runs inside Signalbox: restart Signalbox to reload its code'] : undefined,
    configured ? undefined : ['Configuration', 'Built in or added in code; cannot be removed here'],
  ];
  return (
    <dl className="detail-facts">
      {facts.map((fact) =>
        fact === undefined ? undefined : (
          <div key={fact[0]} className="fact">
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** A clock time: a relative one is too coarse for the next seconds. */
function Clock({ at }: { readonly at: string }): ReactNode {
  return (
    <>
      at <Timestamp at={at} />
    </>
  );
}

function reportedName(info: Readonly<Record<string, unknown>>): string {
  return [info['title'] ?? info['name'], info['version']].filter((each) => typeof each === 'string').join(' ');
}

function ErrorOutput({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return (
    <section className="error-output">
      <h3>Error output</h3>
      {lines.length === 0 ? (
        <p className="faint">No output</p>
      ) : (
        <pre role="group" aria-label="Error output" tabIndex={0}>
          {lines.join('\n')}
        </pre>
      )}
    </section>
  );
}
