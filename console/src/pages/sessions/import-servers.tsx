import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { FoundServers } from '../../api/schema.ts';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** Takes over the servers that other clients of this machine have. */
export function ImportServers(): ReactNode {
  const { data } = useQuery(queries.found());
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
      {isOpen ? <ChooseServers items={data.items} onClose={() => setOpen(false)} /> : undefined}
    </div>
  );
}

function ChooseServers({
  items,
  onClose,
}: {
  readonly items: FoundServers['items'];
  readonly onClose: () => void;
}): ReactNode {
  const [left, setLeft] = useState<readonly string[]>([]);
  const cache = useQueryClient();
  const tell = useTell();
  const names = items.map(({ name }) => name).filter((name) => !left.includes(name));
  const take = useMutation({
    mutationFn: () => api('POST /api/import', { body: { names } }),
    onSuccess: ({ servers, notes }) => {
      tell.done([`Added ${servers.join(', ')}.`, ...notes].join(' '));
      void cache.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog title="Import servers" wide onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          take.mutate();
        }}
      >
        <fieldset className="choices">
          <legend>Every call of their tools will pass through here</legend>
          {items.map(({ name, from, notes }) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={!left.includes(name)}
                onChange={(event) =>
                  setLeft(event.target.checked ? left.filter((each) => each !== name) : [...left, name])
                }
              />
              <span>
                {name} <span className="faint">{from.map(({ client }) => client).join(', ')}</span>
                {notes.map((note) => (
                  <span key={note} className="faint import-note">
                    {note}
                  </span>
                ))}
              </span>
            </label>
          ))}
        </fieldset>
        {take.error === null ? undefined : <ProblemNote error={take.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={take.isPending} disabled={names.length === 0}>
            Import {names.length}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
