import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { PermissionMode } from '../../api/schema.ts';
import { navigate } from '../../app/router.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { PermissionModeChoice, UnaskedNote } from './permission-mode-choice.tsx';

/** The dialog that creates a session: agent, permission mode, directory and title. */
export function NewSession({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { data: agents } = useQuery(queries.agents());
  const [agent, setAgent] = useState('');
  const [cwd, setCwd] = useState('');
  const [title, setTitle] = useState('');
  const [mode, setMode] = useState<PermissionMode>('default');
  const cache = useQueryClient();
  const create = useMutation({
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
          create.mutate();
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
          <span>Working directory</span>
          <input value={cwd} placeholder="Directory of the server" onChange={(event) => setCwd(event.target.value)} />
        </label>
        <label className="field">
          <span>Title</span>
          <input
            value={title}
            placeholder="From the first message"
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <PermissionModeChoice value={mode} onChange={setMode} />
        <UnaskedNote mode={mode} />
        {create.error === null ? undefined : <ProblemNote error={create.error} />}
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create session
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
