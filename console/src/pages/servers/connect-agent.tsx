import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import type { McpClient } from '../../api/schema.ts';
import { useTell } from '../../app/toasts.tsx';
import { Badge, OutcomeBadge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';

// That a client connects is no event.
const lookEveryMs = 2500;

/** The line that connects an agent to everything here, and a check that turns green when one has come. */
export function ConnectAgent(): ReactNode {
  const { data: clients, error } = useQuery({ ...queries.clients(), refetchInterval: lookEveryMs });
  if (error !== null) return <ProblemNote error={error} />;
  if (clients === undefined) return undefined;
  const { items, connect } = clients;
  return (
    <section className="card step" aria-label="Connect your agent">
      <Icon name="link" />
      <div className="step-words">
        <header className="detail-head">
          <h2>Connect your agent</h2>
          <span role="status">
            {items.length === 0 ? (
              <Badge tone="amber">waiting for the first one</Badge>
            ) : (
              <Badge tone="green">{items.length === 1 ? 'connected' : `${items.length} connected`}</Badge>
            )}
          </span>
        </header>
        <p>
          One address for every server here. Run the line of your client in a terminal: the check turns green when it
          has come.
        </p>
        <Tabs
          label="Client"
          tabs={[
            ...connect.commands.map(({ client, command }) => ({
              name: client,
              content: () => <Line text={command} label={`Command for ${client}`} />,
            })),
            { name: 'Address', content: () => <Line text={connect.url} label="Address of the MCP endpoint" /> },
          ]}
        />
        {connect.tokenFile === undefined ? undefined : (
          <p className="faint">
            The token of agents on this machine is kept in <code>{connect.tokenFile}</code>.
          </p>
        )}
        {items.length === 0 ? undefined : (
          <ul className="clients" aria-label="Connected clients">
            {items.map((client) => (
              <ClientRow key={client.sessionId} client={client} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

function Line({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const tell = useTell();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      tell.done('Copied.');
    } catch (problem) {
      tell.problem(problem);
    }
  };
  return (
    <div className="line">
      <pre className="payload" role="group" aria-label={label} tabIndex={0}>
        {text}
      </pre>
      <IconButton icon="copy" label="Copy" onClick={() => void copy()} />
    </div>
  );
}

function ClientRow({ client }: { readonly client: McpClient }): ReactNode {
  const { name, version, principal, lastSeenAt, inUse, lastCall } = client;
  return (
    <li>
      <span>
        {name} <span className="faint">{version}</span>
      </span>
      <span className="faint">
        {principal} · {inUse ? 'here now' : <TimeAgo at={lastSeenAt} />}
      </span>
      {lastCall === undefined ? (
        <span className="faint">no call yet</span>
      ) : (
        <span>
          <code>{lastCall.tool}</code>{' '}
          {lastCall.outcome === undefined ? undefined : <OutcomeBadge outcome={lastCall.outcome} />}
        </span>
      )}
    </li>
  );
}
