import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import type { McpClient } from '../../api/schema.ts';
import { useToaster } from '../../app/toasts.tsx';
import { Badge, OutcomeBadge } from '../../components/badge.tsx';
import { IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { TimeAgo } from '../../components/time.tsx';

// A connecting client emits no live event.
const pollMs = 2500;

/** The commands that connect an agent, and the clients that are connected. */
export function ConnectAgent(): ReactNode {
  const { data: clients, error } = useQuery({ ...queries.clients(), refetchInterval: pollMs });
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
              <Badge tone="amber">not connected yet</Badge>
            ) : (
              <Badge tone="green">{items.length === 1 ? 'connected' : `${items.length} connected`}</Badge>
            )}
          </span>
        </header>
        <p>One endpoint for all of your servers. Run the command for your client in a terminal.</p>
        <Tabs
          label="Client"
          tabs={[
            ...connect.commands.map(({ client, command }) => ({
              name: client,
              content: () => <Line text={command} label={`Command for ${client}`} />,
            })),
            { name: 'URL', content: () => <Line text={connect.url} label="URL of the MCP endpoint" /> },
          ]}
        />
        {connect.tokenFile === undefined ? undefined : (
          <p className="faint">
            The token for agents on this machine is in <code>{connect.tokenFile}</code>.
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
  const toaster = useToaster();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      toaster.success('Copied');
    } catch (problem) {
      toaster.error(problem);
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
        {principal} · {inUse ? 'active now' : <TimeAgo at={lastSeenAt} />}
      </span>
      {lastCall === undefined ? (
        <span className="faint">no calls yet</span>
      ) : (
        <span>
          <code>{lastCall.tool}</code>{' '}
          {lastCall.outcome === undefined ? undefined : <OutcomeBadge outcome={lastCall.outcome} />}
        </span>
      )}
    </li>
  );
}
