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
/** The time for which a client counts as connected after its last request, because it may have no stream open. */
const recentMs = 60_000;

/** The commands that connect an agent, and the clients that are connected. */
export function ConnectAgent(): ReactNode {
  const { data: clients, error, dataUpdatedAt } = useQuery({ ...queries.clients(), refetchInterval: pollMs });
  if (error !== null) return <ProblemNote error={error} />;
  if (clients === undefined) return undefined;
  const { items, connect } = clients;
  const groups = [...Map.groupBy(items, ({ name, principal }) => JSON.stringify([name, principal]))];
  const connected = groups.filter(([, sessions]) => sessions.some((each) => isConnected(each, dataUpdatedAt))).length;
  return (
    <section className="card step" aria-label="Connect your agent">
      <Icon name="link" />
      <div className="step-words">
        <header className="detail-head">
          <h2>Connect your agent</h2>
          <span role="status">
            {connected > 0 ? (
              <Badge tone="green">{connected === 1 ? 'connected' : `${connected} connected`}</Badge>
            ) : (
              <Badge tone="amber">{items.length === 0 ? 'not connected yet' : 'not connected now'}</Badge>
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
          <ul className="clients" aria-label="Recent clients">
            {groups.map(([key, sessions]) => (
              <ClientRow key={key} sessions={sessions} />
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

/** Returns whether a client has a request or a stream open, or had one a moment ago. */
function isConnected({ inUse, lastSeenAt }: McpClient, now: number): boolean {
  return inUse || now - Date.parse(lastSeenAt) < recentMs;
}

/** The sessions of one client, latest first. */
function ClientRow({ sessions }: { readonly sessions: readonly McpClient[] }): ReactNode {
  const [latest] = sessions;
  if (latest === undefined) return undefined;
  const { name, version, principal, lastSeenAt } = latest;
  const lastCall = sessions.find((each) => each.lastCall !== undefined)?.lastCall;
  return (
    <li>
      <span>
        {name} <span className="faint">{version}</span>
      </span>
      <span className="faint">
        {principal} · {sessions.length === 1 ? '' : `${sessions.length} sessions · `}
        {sessions.some(({ inUse }) => inUse) ? (
          'active now'
        ) : (
          <>
            seen <TimeAgo at={lastSeenAt} />
          </>
        )}
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
