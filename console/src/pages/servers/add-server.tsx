import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { AddedServer } from './added-server.tsx';
import { type Entry, type ServerForm, parseServerForm } from './server-form.ts';

const kinds: readonly (readonly [ServerForm['kind'], string])[] = [
  ['command', 'Command'],
  ['url', 'URL'],
  ['json', 'JSON'],
];

/** Adds a server, with a preview of its configuration entry. Reports success only after the server has started. */
export function AddServer({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: info } = useQuery(queries.info());
  const [form, setForm] = useState<ServerForm>({
    kind: 'command',
    name: '',
    command: '',
    url: '',
    pairs: '',
    json: '',
  });
  const cache = useQueryClient();
  const toaster = useToaster();
  const result = parseServerForm(form);
  const add = useMutation({
    mutationFn: (body: { readonly name: string; readonly entry: Entry }) => api('POST /api/servers', { body }),
    onSuccess: () => void cache.invalidateQueries({ queryKey: ['servers'] }),
  });
  const added = add.data?.servers[0];
  const show = (name: string): void => {
    onClose();
    navigate(`/servers/${encodeURIComponent(name)}`);
  };
  const set = (key: keyof ServerForm) => (event: { target: { value: string } }) =>
    setForm({ ...form, [key]: event.target.value });
  if (added !== undefined)
    return (
      <Dialog key="added" title="Add server" wide onClose={() => show(added)}>
        <AddedServer
          name={added}
          onStarted={() => {
            toaster.success([`Added ${added}.`, ...(add.data?.notes ?? [])].join(' '));
            show(added);
          }}
          onRemoved={() => add.reset()}
          onKept={() => show(added)}
        />
      </Dialog>
    );
  return (
    <Dialog title="Add server" wide onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (result.problem === undefined) add.mutate({ name: result.name, entry: result.entry });
        }}
      >
        <fieldset className="kinds">
          <legend className="unseen">Connection</legend>
          {kinds.map(([kind, shown]) => (
            <label key={kind}>
              <input
                type="radio"
                name="kind"
                checked={form.kind === kind}
                onChange={() => setForm({ ...form, kind })}
              />
              {shown}
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>Name</span>
          <input
            value={form.name}
            data-autofocus=""
            placeholder={form.kind === 'json' ? 'From the JSON' : 'memory'}
            onChange={set('name')}
          />
        </label>
        <EntryFields form={form} set={set} />
        {result.problem === undefined ? (
          <EntryPreview file={info?.configuration?.file} name={result.name} entry={result.entry} />
        ) : undefined}
        {add.error === null ? undefined : <ProblemNote error={add.error} />}
        <div className="actions">
          {result.problem === undefined ? undefined : <span className="faint">{result.problem}</span>}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={add.isPending} disabled={result.problem !== undefined}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function EntryFields({
  form,
  set,
}: {
  readonly form: ServerForm;
  readonly set: (key: keyof ServerForm) => (event: { target: { value: string } }) => void;
}): ReactNode {
  if (form.kind === 'json')
    return (
      <label className="field">
        <span>JSON entry from its README</span>
        <textarea
          className="code"
          rows={8}
          spellCheck={false}
          value={form.json}
          placeholder={'{ "mcpServers": { "memory": { "command": "npx", … } } }'}
          onChange={set('json')}
        />
      </label>
    );
  const isUrl = form.kind === 'url';
  return (
    <>
      {isUrl ? (
        <label className="field">
          <span>URL</span>
          <input type="url" value={form.url} placeholder="https://example.com/mcp" onChange={set('url')} />
        </label>
      ) : (
        <label className="field">
          <span>Command</span>
          <input
            value={form.command}
            placeholder="npx -y @modelcontextprotocol/server-memory"
            spellCheck={false}
            onChange={set('command')}
          />
        </label>
      )}
      <label className="field">
        <span>{isUrl ? 'Headers, one per line' : 'Environment variables, one per line'}</span>
        <textarea
          className="code"
          rows={2}
          spellCheck={false}
          value={form.pairs}
          placeholder={isUrl ? 'Authorization: Bearer ${secret:TOKEN}' : 'API_KEY=${env:API_KEY}'}
          onChange={set('pairs')}
        />
      </label>
    </>
  );
}

function EntryPreview({
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
        Saved to {file}. Values that look like secrets are stored encrypted and replaced by references.
      </p>
      <pre className="payload" role="group" aria-label="Configuration entry" tabIndex={0}>
        {`${JSON.stringify(name)}: ${JSON.stringify(entry, undefined, 2)}`}
      </pre>
    </div>
  );
}
