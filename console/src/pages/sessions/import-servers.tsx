import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { useCurrentUser, useForbiddenReason } from '../../app/current-user.tsx';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ImportDialog } from '../servers/import-dialog.tsx';

/** Offers to import the servers of other MCP clients on this machine. */
export function ImportServers(): ReactNode {
  const isKnown = useCurrentUser() !== undefined;
  const refusal = useForbiddenReason('POST /api/import');
  const { data } = useQuery({ ...queries.importableServers(), enabled: isKnown && refusal === undefined });
  const [isOpen, setOpen] = useState(false);
  if (data === undefined) return undefined;
  const count = data.items.length;
  const clients = [...new Set(data.items.flatMap(({ from }) => from.map(({ client }) => client)))];
  return (
    <div className="card step">
      <Icon name="servers" />
      <div className="step-words">
        <h2>Import your servers</h2>
        <p>
          {count === 0
            ? 'No servers found in other MCP clients on this machine.'
            : `${count} MCP ${count === 1 ? 'server' : 'servers'} found in ${clients.join(', ')}.`}
        </p>
        {count === 0 ? undefined : (
          <div className="step-actions">
            <Button onClick={() => setOpen(true)}>Review and import</Button>
          </div>
        )}
      </div>
      {isOpen ? <ImportDialog onClose={() => setOpen(false)} /> : undefined}
    </div>
  );
}
