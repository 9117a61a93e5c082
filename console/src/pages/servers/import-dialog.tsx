import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { FoundServers } from '../../api/schema.ts';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** The servers of other clients on this machine: what they would be here, and which to take over. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  // Other programs write those files, so what was found before tells little.
  const { data: found, error, isFetching } = useQuery({ ...queries.found(), staleTime: 0 });
  return (
    <Dialog title="Import from other clients" wide onClose={onClose}>
      {error === null ? undefined : <ProblemNote error={error} />}
      {found === undefined && isFetching ? <p className="faint">Looking…</p> : undefined}
      {found === undefined ? undefined : found.items.length === 0 ? (
        <p>No other client on this machine has a server that is not here already.</p>
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
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const cache = useQueryClient();
  const tell = useTell();
  const names = found.map(({ name }) => name).filter((name) => !left.has(name));
  const take = useMutation({
    mutationFn: () => api('POST /api/import', { body: { names } }),
    onSuccess: ({ servers, notes }) => {
      tell.done([`Took over ${servers.join(', ')}.`, ...notes].join(' '));
      void cache.invalidateQueries();
      onClose();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take.mutate();
      }}
    >
      <fieldset className="choices">
        <legend>Every call of their tools will pass through here. The files of those clients stay as they are.</legend>
        {found.map((server) => (
          <div key={server.name} className="found">
            <label>
              <input
                type="checkbox"
                checked={!left.has(server.name)}
                onChange={(event) => {
                  const next = new Set(left);
                  if (event.target.checked) next.delete(server.name);
                  else next.add(server.name);
                  setLeft(next);
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
      {take.error === null ? undefined : <ProblemNote error={take.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={take.isPending} disabled={names.length === 0}>
          Take over {names.length}
        </Button>
      </div>
    </form>
  );
}

function FoundFacts({ server }: { readonly server: FoundServers['items'][number] }): ReactNode {
  const { entry, from, notes, secrets } = server;
  return (
    <details className="fold found-facts">
      <summary>What is written{secrets.length === 0 ? '' : ` · ${secrets.length} kept encrypted`}</summary>
      <pre className="payload" role="group" aria-label={`What is written for ${server.name}`} tabIndex={0}>
        {JSON.stringify(entry, undefined, 2)}
      </pre>
      {secrets.length === 0 ? undefined : <p className="faint">Kept encrypted: {secrets.join(', ')}</p>}
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
