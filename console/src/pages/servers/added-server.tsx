import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

const pollMs = 500;
const maxOutputLines = 10;

/** Waits for the first start of an added server. When it fails, shows the reason, and removes the server unless the user keeps it. */
export function AddedServer({
  name,
  onStarted,
  onRemoved,
  onKept,
}: {
  readonly name: string;
  /** Called when the server is up, or needs a sign-in. */
  readonly onStarted: () => void;
  readonly onRemoved: () => void;
  readonly onKept: () => void;
}): ReactNode {
  const cache = useQueryClient();
  const { data: server, error } = useQuery({ ...queries.server(name), staleTime: 0, refetchInterval: pollMs });
  const remove = useMutation({
    mutationFn: () => api('DELETE /api/servers/{name}', { path: { name } }),
    onSuccess: () => {
      cache.removeQueries({ queryKey: ['servers', name] });
      void cache.invalidateQueries({ queryKey: ['servers'] });
      onRemoved();
    },
  });
  const isStarted = server !== undefined && (server.status !== 'down' || server.needsSignIn === true);
  const started = useEffectEvent(onStarted);
  useEffect(() => {
    if (isStarted) started();
  }, [isStarted]);
  if (error !== null) return <ProblemNote error={error} />;
  const isDown = server?.status === 'down' && server.connecting !== true;
  return (
    <div className="added-server">
      {isDown && !isStarted ? (
        <div className="note red" role="alert">
          <Icon name="warning" />
          <div className="note-text">
            <strong>{name} cannot start</strong>
            <p>{server.reason}</p>
            {server.stderr.length === 0 ? undefined : (
              <pre role="group" aria-label="Error output" tabIndex={0}>
                {server.stderr.slice(-maxOutputLines).join('\n')}
              </pre>
            )}
          </div>
        </div>
      ) : (
        <p className="faint" role="status">
          Starting {name}. The first start can take a minute, because it may include a download.
        </p>
      )}
      {remove.error === null ? undefined : <ProblemNote error={remove.error} />}
      <div className="actions">
        <Button onClick={onKept}>{isDown ? 'Add anyway' : 'Continue in the background'}</Button>
        <Button kind="primary" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          {isDown ? 'Change the entry' : 'Cancel'}
        </Button>
      </div>
    </div>
  );
}
