import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { ServerState } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { useForbiddenReason } from '../../app/current-user.tsx';
import { Link } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { TimeAgo } from '../../components/time.tsx';
import { AddServer } from './add-server.tsx';
import { ConfigurationNote } from './configuration-note.tsx';
import { ConnectAgent } from './connect-agent.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ServerDetail } from './server-detail.tsx';
import { ServerStatus } from './server-status.tsx';
import './servers.css';

/** The list of servers beside the selected one, or beside the commands to connect an agent. */
export function ServersPage({ name }: { readonly name?: string }): ReactNode {
  const { data: servers, error, refetch } = useQuery(queries.servers());
  const [opened, setOpened] = useState<'add' | 'import'>();
  const canAdd = useForbiddenReason('POST /api/servers') === undefined;
  useShortcut('n', 'Add server', () => setOpened('add'), { isOn: canAdd });
  return (
    <div className={name === undefined ? 'split overview' : 'split chosen'}>
      <div className="split-list">
        <PageHead title="Servers">
          <Button operation="POST /api/import" onClick={() => setOpened('import')}>
            Import
          </Button>
          <Button operation="POST /api/servers" kind="primary" icon="plus" onClick={() => setOpened('add')}>
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
              <EmptyState icon="servers" title="Add your MCP servers">
                <p>
                  {servers.length === 0 ? '' : 'The listed servers are part of Signalbox. '}
                  Import servers from your other MCP clients, or add one by its command or URL.
                </p>
                <div className="actions">
                  <Button operation="POST /api/import" kind="primary" onClick={() => setOpened('import')}>
                    Import servers
                  </Button>
                  <Button operation="POST /api/servers" icon="plus" onClick={() => setOpened('add')}>
                    Add server
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
