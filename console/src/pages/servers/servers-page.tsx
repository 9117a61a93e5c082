import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { ServerState } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { useRefusal } from '../../app/reader.tsx';
import { Link } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { AddServer } from './add-server.tsx';
import { ConfigurationNote } from './configuration-note.tsx';
import { ConnectAgent } from './connect-agent.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ServerDetail } from './server-detail.tsx';
import { ServerStatus } from './server-status.tsx';

/** The servers on one side, one of them on the other; with none chosen, how to connect an agent to them all. */
export function ServersPage({ name }: { readonly name?: string }): ReactNode {
  const { data: servers, error, refetch } = useQuery(queries.servers());
  const [opened, setOpened] = useState<'add' | 'import'>();
  const mayAdd = useRefusal('POST /api/servers') === undefined;
  useShortcut('n', 'Add a server', () => setOpened('add'), { isOn: mayAdd });
  return (
    <div className={name === undefined ? 'split overview' : 'split chosen'}>
      <div className="split-list">
        <PageHead title="Servers">
          <Button asks="POST /api/import" onClick={() => setOpened('import')}>
            Import
          </Button>
          <Button asks="POST /api/servers" kind="primary" icon="plus" onClick={() => setOpened('add')}>
            Add
          </Button>
        </PageHead>
        <ConfigurationNote />
        {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
        <ul className="rows" aria-label="Servers">
          {servers?.map((server) => (
            <ServerRow key={server.name} server={server} isCurrent={server.name === name} />
          ))}
        </ul>
      </div>
      <div className="split-detail">
        {name === undefined ? (
          <>
            {servers !== undefined && !servers.some(({ adapter }) => adapter.startsWith('mcp:')) ? (
              <EmptyState icon="servers" title="No MCP servers yet">
                <p>Take over those of your other clients, or add one by its command or address.</p>
                <div className="actions">
                  <Button asks="POST /api/import" kind="primary" onClick={() => setOpened('import')}>
                    Import my servers
                  </Button>
                  <Button asks="POST /api/servers" icon="plus" onClick={() => setOpened('add')}>
                    Add a server
                  </Button>
                </div>
              </EmptyState>
            ) : undefined}
            <ConnectAgent />
          </>
        ) : (
          <>
            <Link to="/servers" className="back">
              All servers
            </Link>
            <ServerDetail key={name} name={name} />
          </>
        )}
      </div>
      {opened === 'add' ? <AddServer onClose={() => setOpened(undefined)} /> : undefined}
      {opened === 'import' ? <ImportDialog onClose={() => setOpened(undefined)} /> : undefined}
    </div>
  );
}

function ServerRow({ server, isCurrent }: { readonly server: ServerState; readonly isCurrent: boolean }): ReactNode {
  const { name, tools, since, status, reason } = server;
  return (
    <li>
      <Link to={`/servers/${encodeURIComponent(name)}`} className="split-row" aria-current={isCurrent}>
        <span className="split-row-head">
          <span className="split-row-name">{name}</span>
          <ServerStatus server={server} />
        </span>
        <span className="split-row-about">
          {status === 'up' ? `${tools} ${tools === 1 ? 'tool' : 'tools'} · ` : ''}
          <TimeAgo at={since} />
          {reason === undefined ? '' : ` · ${reason}`}
        </span>
      </Link>
    </li>
  );
}
