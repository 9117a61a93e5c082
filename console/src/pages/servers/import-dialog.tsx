import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { FoundServers } from '../../api/schema.ts';
import { useToaster } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

/** Imports servers from the configuration of other MCP clients on this machine. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  // Other programs write those files, so cached results may be outdated.
  const { data: found, error, isFetching } = useQuery({ ...queries.importableServers(), staleTime: 0 });
  return (
    <Dialog title="Import from other clients" wide onClose={onClose}>
      {error === null ? undefined : <ProblemNote error={error} />}
      {found === undefined && isFetching ? <p className="faint">Searching…</p> : undefined}
      {found === undefined ? undefined : found.items.length === 0 ? (
        <p>No new servers found in other clients on this machine.</p>
      ) : (
        <Choose found={found.items} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Choose({
  found,
  onClose,
}: {
  readonly found: FoundServers['items'];
  readonly onClose: () => void;
}): ReactNode {
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const cache = useQueryClient();
  const toaster = useToaster();
  const names = found.map(({ name }) => name).filter((name) => !excluded.has(name));
  const importServers = useMutation({
    mutationFn: () => api('POST /api/import', { body: { names } }),
    onSuccess: ({ servers, notes }) => {
      toaster.success([`Imported ${servers.join(', ')}.`, ...notes].join(' '));
      void cache.invalidateQueries();
      onClose();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        importServers.mutate();
      }}
    >
      <fieldset className="choices">
        <legend>Signalbox will manage these servers. The files of the other clients are not changed.</legend>
        {found.map((server) => (
          <div key={server.name} className="found">
            <label>
              <input
                type="checkbox"
                checked={!excluded.has(server.name)}
                onChange={(event) => {
                  const next = new Set(excluded);
                  if (event.target.checked) next.delete(server.name);
                  else next.add(server.name);
                  setExcluded(next);
                }}
              />
              <span>
                {server.name} <span className="faint">{server.from.map(({ client }) => client).join(', ')}</span>
              </span>
            </label>
            <FoundFacts server={server} />
          </div>
        ))}
      </fieldset>
      {importServers.error === null ? undefined : <ProblemNote error={importServers.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={importServers.isPending} disabled={names.length === 0}>
          Import {names.length} {names.length === 1 ? 'server' : 'servers'}
        </Button>
      </div>
    </form>
  );
}

function FoundFacts({ server }: { readonly server: FoundServers['items'][number] }): ReactNode {
  const { entry, from, notes, secrets } = server;
  return (
    <details className="fold found-facts">
      <summary>Configuration entry{secrets.length === 0 ? '' : ` · ${secrets.length} encrypted`}</summary>
      <pre className="payload" role="group" aria-label={`Configuration entry of ${server.name}`} tabIndex={0}>
        {JSON.stringify(entry, undefined, 2)}
      </pre>
      {secrets.length === 0 ? undefined : <p className="faint">Stored encrypted: {secrets.join(', ')}</p>}
      {notes.map((note) => (
        <p key={note} className="faint">
          {note}
        </p>
      ))}
      {from.map(({ file }) => (
        <p key={file} className="faint">
          From {file}
        </p>
      ))}
    </details>
  );
}
