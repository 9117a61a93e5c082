import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { PermissionMode, Session, SessionEvent } from '../../api/schema.ts';
import { useTitle } from '../../app/page-head.tsx';
import { useRefusal } from '../../app/reader.tsx';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import type { StreamState } from '../../live/event-stream.ts';
import { Badge, SessionBadge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { permissionModes } from './permission-modes.ts';
import { ServerHealth } from './server-health.tsx';

type Status = Extract<SessionEvent, { type: 'session_status' }>;

/** What a session is called, who works in it, how freely, and how its servers are. */
export function SessionHead({
  session,
  status,
  stream,
}: {
  readonly session: Session;
  readonly status: Status | undefined;
  readonly stream: StreamState;
}): ReactNode {
  const { id, title, agent, model, permissionMode, state } = session;
  const [doing, setDoing] = useState<'rename' | 'delete'>();
  const cache = useQueryClient();
  const tell = useTell();
  const onError = (error: unknown): void => tell.problem(error);
  const keep = (changed: Session): void => {
    cache.setQueryData(queries.session(id).queryKey, changed);
    void cache.invalidateQueries({ queryKey: ['sessions', 'list'] });
  };
  const change = useMutation({
    mutationFn: (body: { readonly title?: string; readonly permissionMode?: PermissionMode }) =>
      api('PATCH /api/sessions/{id}', { path: { id }, body }),
    onSuccess: keep,
    onError,
  });
  const fork = useMutation({
    mutationFn: () => api('POST /api/sessions/{id}/fork', { path: { id } }),
    onSuccess: (forked) => {
      tell.done('Forked. This is the new session.');
      navigate(`/sessions/${forked.id}`);
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: () => api('DELETE /api/sessions/{id}', { path: { id } }),
    onSuccess: () => {
      navigate('/');
      void cache.invalidateQueries({ queryKey: ['sessions', 'list'] });
    },
    onError,
  });
  const refusal = useRefusal('PATCH /api/sessions/{id}');
  useTitle(title);
  return (
    <header className="session-head">
      <div className="session-name">
        <h1>{title}</h1>
        <p className="faint">
          {agent}
          {(status?.model ?? model) === undefined || (status?.model ?? model) === agent
            ? ''
            : ` · ${status?.model ?? model}`}
          {status?.costUsd === undefined || status.costUsd === 0 ? '' : ` · $${status.costUsd.toFixed(2)}`}
          {status?.contextTokens === undefined ? '' : ` · ${status.contextTokens.toLocaleString('en')} tokens`}
        </p>
      </div>
      {stream === 'reconnecting' ? <Badge tone="amber">reconnecting</Badge> : undefined}
      {state === 'running' || state === 'waiting' ? <SessionBadge state={state} /> : undefined}
      <ServerHealth servers={status?.servers} />
      <label className="mode">
        <span className="unseen">Permission mode</span>
        <select
          value={permissionMode}
          disabled={refusal !== undefined}
          title={refusal ?? permissionModes.find(({ mode }) => mode === permissionMode)?.about}
          onChange={(event) => change.mutate({ permissionMode: event.target.value as PermissionMode })}
        >
          {permissionModes.map(({ mode, name }) => (
            <option key={mode} value={mode}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <div className="session-tools">
        <IconButton asks="PATCH /api/sessions/{id}" icon="pencil" label="Rename" onClick={() => setDoing('rename')} />
        <IconButton
          asks="POST /api/sessions/{id}/fork"
          icon="fork"
          label="Fork: go on in a new session from here"
          onClick={() => fork.mutate()}
        />
        <IconButton asks="DELETE /api/sessions/{id}" icon="trash" label="Delete" onClick={() => setDoing('delete')} />
      </div>
      {doing === 'rename' ? (
        <Rename
          title={title}
          onClose={() => setDoing(undefined)}
          onDone={(next) => {
            change.mutate({ title: next });
            setDoing(undefined);
          }}
        />
      ) : undefined}
      {doing === 'delete' ? (
        <Dialog title="Delete this session?" onClose={() => setDoing(undefined)}>
          <p>
            What runs in it is interrupted and the conversation is forgotten. What its calls left in the journal stays.
          </p>
          <div className="actions">
            <Button onClick={() => setDoing(undefined)}>Keep it</Button>
            <Button kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
              Delete
            </Button>
          </div>
        </Dialog>
      ) : undefined}
    </header>
  );
}

function Rename({
  title,
  onDone,
  onClose,
}: {
  readonly title: string;
  readonly onDone: (title: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [text, setText] = useState(title);
  return (
    <Dialog title="Rename" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') onDone(text.trim());
        }}
      >
        <label className="field">
          <span>Title</span>
          <input value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <div className="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={text.trim() === ''}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
