import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { PermissionMode } from '../../api/schema.ts';
import { navigate } from '../../app/router.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { permissionModes } from './permission-modes.ts';

/** Asks who should work, where, and how freely. */
export function NewSession({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: agents } = useQuery(queries.agents());
  const [agent, setAgent] = useState('');
  const [cwd, setCwd] = useState('');
  const [title, setTitle] = useState('');
  const [mode, setMode] = useState<PermissionMode>('default');
  const cache = useQueryClient();
  const begin = useMutation({
    mutationFn: () =>
      api('POST /api/sessions', {
        body: {
          permissionMode: mode,
          ...(agent === '' ? {} : { agent }),
          ...(cwd.trim() === '' ? {} : { cwd: cwd.trim() }),
          ...(title.trim() === '' ? {} : { title: title.trim() }),
        },
      }),
    onSuccess: (session) => {
      void cache.invalidateQueries({ queryKey: ['sessions'] });
      navigate(`/sessions/${session.id}`);
    },
  });
  return (
    <Dialog title="New session" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          begin.mutate();
        }}
      >
        <label className="field">
          <span>Agent</span>
          <select value={agent} onChange={(event) => setAgent(event.target.value)}>
            <option value="">{agents?.items.find(({ isDefault }) => isDefault)?.name ?? 'Default'} (default)</option>
            {agents?.items
              .filter(({ isDefault }) => !isDefault)
              .map(({ name, runtime, model }) => (
                <option key={name} value={name}>
                  {name} · {model ?? runtime}
                </option>
              ))}
          </select>
        </label>
        <label className="field">
          <span>Permission mode</span>
          <select value={mode} onChange={(event) => setMode(event.target.value as PermissionMode)}>
            {permissionModes.map(({ mode: each, name }) => (
              <option key={each} value={each}>
                {name}
              </option>
            ))}
          </select>
          <span className="faint">{permissionModes.find((each) => each.mode === mode)?.about}</span>
        </label>
        <label className="field">
          <span>Working directory</span>
          <input value={cwd} placeholder="Where the server runs" onChange={(event) => setCwd(event.target.value)} />
        </label>
        <label className="field">
          <span>Title</span>
          <input
            value={title}
            placeholder="Taken from the first message"
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        {begin.error === null ? undefined : <ProblemNote error={begin.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={begin.isPending}>
            Begin
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
