import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { ServerDetails } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { RemoveServer } from './remove-server.tsx';
import { ServerStatus } from './server-status.tsx';
import { SignIn } from './sign-in.tsx';

// What a server writes to its error output is no event.
const lookEveryMs = 3000;

/** One server: how it is, what it last said, and what can be done about it. */
export function ServerDetail({ name }: { readonly name: string }): ReactNode {
  const { data: server, error, refetch } = useQuery({ ...queries.server(name), refetchInterval: lookEveryMs });
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

type Change = 'restart' | 'enable' | 'disable';

const done: Readonly<Record<Change, string>> = {
  restart: 'Connected anew',
  enable: 'Enabled',
  disable: 'Disabled, until it is enabled here or Signalbox is started again',
};

function ServerActions({ server }: { readonly server: ServerDetails }): ReactNode {
  const { name, status, health, configured } = server;
  const cache = useQueryClient();
  const tell = useTell();
  const [isRemoving, setRemoving] = useState(false);
  const change = useMutation({
    mutationFn: (what: Change) => api(`POST /api/servers/{name}/${what}`, { path: { name } }),
    onSuccess: (state, what) => {
      if (what === 'restart' && state.status === 'down') tell.problem(new Error(state.reason ?? 'It is still down.'));
      else tell.done(`${name}: ${done[what]}.`);
    },
    onError: (problem) => tell.problem(problem),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['servers'] }),
  });
  const isBusy = (what: Change): boolean => change.isPending && change.variables === what;
  return (
    <div className="actions server-actions">
      {health === undefined || status === 'disabled' ? undefined : (
        <Button
          asks="POST /api/servers/{name}/restart"
          isBusy={isBusy('restart')}
          onClick={() => change.mutate('restart')}
        >
          Restart
        </Button>
      )}
      {status === 'disabled' ? (
        <Button
          asks="POST /api/servers/{name}/enable"
          kind="primary"
          isBusy={isBusy('enable')}
          onClick={() => change.mutate('enable')}
        >
          Enable
        </Button>
      ) : (
        <Button
          asks="POST /api/servers/{name}/disable"
          isBusy={isBusy('disable')}
          onClick={() => change.mutate('disable')}
        >
          Disable
        </Button>
      )}
      {configured ? (
        <Button asks="DELETE /api/servers/{name}" kind="danger" onClick={() => setRemoving(true)}>
          Remove…
        </Button>
      ) : undefined}
      {isRemoving ? <RemoveServer name={name} onClose={() => setRemoving(false)} /> : undefined}
    </div>
  );
}

const cameAbout = { up: 'Came up', down: 'Went down', disabled: 'Disabled' } as const;

function ServerFacts({ server }: { readonly server: ServerDetails }): ReactNode {
  const { name, adapter, since, status, reason, tools, required, health, configured } = server;
  const { data: catalog } = useQuery(queries.tools());
  const hidden = catalog?.hidden.filter((each) => each.server === name).length ?? 0;
  const facts: readonly (readonly [string, ReactNode] | undefined)[] = [
    [cameAbout[status], <TimeAgo key="since" at={since} />],
    [
      'Tools',
      <Link key="tools" to={`/tools?server=${encodeURIComponent(name)}`}>
        {tools} offered{hidden === 0 ? '' : `, ${hidden} hidden`}
      </Link>,
    ],
    ['Kind', <code key="kind">{adapter}</code>],
    health?.serverInfo === undefined ? undefined : ['Says it is', saidOf(health.serverInfo)],
    health?.protocolVersion === undefined ? undefined : ['Revision of MCP', health.protocolVersion],
    health === undefined ? undefined : ['Connected again', times(health.restarts)],
    health?.lastError === undefined || reason?.includes(health.lastError) === true
      ? undefined
      : ['Last error', health.lastError],
    health?.nextRetryAt === undefined ? undefined : ['Next attempt', <Clock key="retry" at={health.nextRetryAt} />],
    required === true ? ['Required', 'turns and readiness depend on it'] : undefined,
    health === undefined ? ['Restart', 'It runs inside Signalbox: restart that to load its code again.'] : undefined,
    configured ? undefined : ['Configuration', 'It is built in, or was mounted in code; it cannot be removed here.'],
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

function times(count: number): string {
  if (count === 0) return 'never';
  return count === 1 ? 'once' : `${count} times`;
}

/** What comes within seconds is told by the clock. */
function Clock({ at }: { readonly at: string }): ReactNode {
  return <time dateTime={at}>at {new Date(at).toLocaleTimeString()}</time>;
}

function saidOf(info: Readonly<Record<string, unknown>>): string {
  return [info['title'] ?? info['name'], info['version']].filter((each) => typeof each === 'string').join(' ');
}

function ErrorOutput({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return (
    <section className="error-output">
      <h3>Error output</h3>
      {lines.length === 0 ? (
        <p className="faint">It wrote nothing.</p>
      ) : (
        <pre role="group" aria-label="Error output" tabIndex={0}>
          {lines.join('\n')}
        </pre>
      )}
    </section>
  );
}
