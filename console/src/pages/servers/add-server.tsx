import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type Entry, type Typed, newEntry } from './new-entry.ts';

const kinds: readonly (readonly [Typed['kind'], string])[] = [
  ['command', 'Command'],
  ['url', 'Address'],
  ['json', 'JSON'],
];

/** Adds a server, and shows beforehand what is written. */
export function AddServer({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: info } = useQuery(queries.info());
  const [typed, setTyped] = useState<Typed>({ kind: 'command', name: '', command: '', url: '', pairs: '', json: '' });
  const cache = useQueryClient();
  const tell = useTell();
  const made = newEntry(typed);
  const add = useMutation({
    mutationFn: (body: { readonly name: string; readonly entry: Entry }) => api('POST /api/servers', { body }),
    onSuccess: ({ servers, notes }) => {
      tell.done([`Added ${servers.join(', ')}.`, ...notes].join(' '));
      void cache.invalidateQueries({ queryKey: ['servers'] });
      onClose();
      navigate(`/servers/${encodeURIComponent(servers[0] ?? '')}`);
    },
  });
  const set = (key: keyof Typed) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [key]: event.target.value });
  return (
    <Dialog title="Add a server" wide onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (made.wrong === undefined) add.mutate({ name: made.name, entry: made.entry });
        }}
      >
        <fieldset className="kinds">
          <legend className="unseen">How it is reached</legend>
          {kinds.map(([kind, shown]) => (
            <label key={kind}>
              <input
                type="radio"
                name="kind"
                checked={typed.kind === kind}
                onChange={() => setTyped({ ...typed, kind })}
              />
              {shown}
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>Name</span>
          <input
            value={typed.name}
            placeholder={typed.kind === 'json' ? 'As in the JSON' : 'memory'}
            onChange={set('name')}
          />
        </label>
        <EntryFields typed={typed} set={set} />
        {made.wrong === undefined ? (
          <Written file={info?.configuration?.file} name={made.name} entry={made.entry} />
        ) : undefined}
        {add.error === null ? undefined : <ProblemNote error={add.error} />}
        <div className="actions">
          {made.wrong === undefined ? undefined : <span className="faint">{made.wrong}</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={add.isPending} disabled={made.wrong !== undefined}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function EntryFields({
  typed,
  set,
}: {
  readonly typed: Typed;
  readonly set: (key: keyof Typed) => (event: { target: { value: string } }) => void;
}): ReactNode {
  if (typed.kind === 'json')
    return (
      <label className="field">
        <span>Entry, as its README shows it</span>
        <textarea
          className="code"
          rows={8}
          spellCheck={false}
          value={typed.json}
          placeholder={'{ "mcpServers": { "memory": { "command": "npx", … } } }'}
          onChange={set('json')}
        />
      </label>
    );
  const isUrl = typed.kind === 'url';
  return (
    <>
      {isUrl ? (
        <label className="field">
          <span>Address</span>
          <input type="url" value={typed.url} placeholder="https://example.com/mcp" onChange={set('url')} />
        </label>
      ) : (
        <label className="field">
          <span>Command</span>
          <input
            value={typed.command}
            placeholder="npx -y @modelcontextprotocol/server-memory"
            spellCheck={false}
            onChange={set('command')}
          />
        </label>
      )}
      <label className="field">
        <span>{isUrl ? 'Headers, one on each line' : 'Environment, one on each line'}</span>
        <textarea
          className="code"
          rows={2}
          spellCheck={false}
          value={typed.pairs}
          placeholder={isUrl ? 'Authorization: Bearer ${secret:TOKEN}' : 'API_KEY=${env:API_KEY}'}
          onChange={set('pairs')}
        />
      </label>
    </>
  );
}

function Written({
  file = 'the configuration file',
  name,
  entry,
}: {
  readonly file?: string | undefined;
  readonly name: string;
  readonly entry: Entry;
}): ReactNode {
  return (
    <div className="written">
      <p className="faint">
        Written into {file}. What looks like a secret is kept encrypted, and a reference stands in its place.
      </p>
      <pre className="payload" role="group" aria-label="What is written" tabIndex={0}>
        {`${JSON.stringify(name)}: ${JSON.stringify(entry, undefined, 2)}`}
      </pre>
    </div>
  );
}
