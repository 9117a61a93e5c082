import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { useReader, useRefusal } from '../../app/reader.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ImportDialog } from '../servers/import-dialog.tsx';

/** Takes over the servers that other clients of this machine have. */
export function ImportServers(): ReactNode {
  const isKnown = useReader() !== undefined;
  const refusal = useRefusal('POST /api/import');
  const { data } = useQuery({ ...queries.found(), enabled: isKnown && refusal === undefined });
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
            ? 'No MCP server of another client was found on this machine.'
            : `${count} MCP ${count === 1 ? 'server' : 'servers'} found in ${clients.join(', ')}.`}
        </p>
        {count === 0 ? undefined : (
          <div className="step-actions">
            <Button onClick={() => setOpen(true)}>Look at them</Button>
          </div>
        )}
      </div>
      {isOpen ? <ImportDialog onClose={() => setOpen(false)} /> : undefined}
    </div>
  );
}
