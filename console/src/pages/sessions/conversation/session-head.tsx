import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/queries.ts';
import type { PermissionMode, Session, SessionEvent } from '../../../api/schema.ts';
import { useTitle } from '../../../app/page-head.tsx';
import { navigate } from '../../../app/router.tsx';
import { useToaster } from '../../../app/toasts.tsx';
import type { StreamState } from '../../../live/event-stream.ts';
import { Badge, SessionBadge } from '../../../components/badge.tsx';
import { Button, IconButton } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { PermissionModeMenu } from './permission-mode-menu.tsx';
import { ServerHealth } from './server-health.tsx';

type Status = Extract<SessionEvent, { type: 'session_status' }>;

/** The header of a session: title, agent, permission mode, server health and actions. */
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
  const [openForm, setOpenForm] = useState<'rename' | 'delete'>();
  const cache = useQueryClient();
  const toaster = useToaster();
  const onError = (error: unknown): void => toaster.error(error);
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
      toaster.success('Forked into this session');
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
      <PermissionModeMenu mode={permissionMode} onChange={(next) => change.mutate({ permissionMode: next })} />
      <div className="session-tools">
        <IconButton
          operation="PATCH /api/sessions/{id}"
          icon="pencil"
          label="Rename"
          onClick={() => setOpenForm('rename')}
        />
        <IconButton
          operation="POST /api/sessions/{id}/fork"
          icon="fork"
          label="Fork into a new session"
          onClick={() => fork.mutate()}
        />
        <IconButton
          operation="DELETE /api/sessions/{id}"
          icon="trash"
          label="Delete"
          onClick={() => setOpenForm('delete')}
        />
      </div>
      {openForm === 'rename' ? (
        <Rename
          title={title}
          onClose={() => setOpenForm(undefined)}
          onDone={(next) => {
            change.mutate({ title: next });
            setOpenForm(undefined);
          }}
        />
      ) : undefined}
      {openForm === 'delete' ? (
        <Dialog title="Delete this session?" onClose={() => setOpenForm(undefined)}>
          <p>Running calls are interrupted and the conversation is deleted. Its recorded calls stay in the journal.</p>
          <div className="actions">
            <Button onClick={() => setOpenForm(undefined)}>Cancel</Button>
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
    <Dialog title="Rename session" onClose={onClose}>
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
