import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { ServerDetails } from '../../api/schema.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

/** Signs in to a server that requires OAuth, in another tab. */
export function SignIn({ server }: { readonly server: ServerDetails }): ReactNode {
  const { name, needsSignIn, signIn } = server;
  const cache = useQueryClient();
  const begin = useMutation({
    mutationFn: async () => {
      const { url } = await api('POST /api/servers/{name}/sign-in', { path: { name } });
      // The URL comes from the server and is not trusted.
      if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(`The server sent an invalid sign-in URL: ${url}`);
      return url;
    },
    onSuccess: (url) => window.open(url, '_blank', 'noopener,noreferrer'),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['servers'] }),
  });
  if (needsSignIn !== true && signIn?.state !== 'waiting') return undefined;
  const isWaiting = signIn?.state === 'waiting';
  return (
    <div className="note amber sign-in">
      <Icon name="lock" />
      <div className="note-text" role="status">
        <strong>{isWaiting ? 'Waiting for sign-in' : 'Sign-in required'}</strong>
        <p>
          {isWaiting
            ? 'Finish signing in in the other tab. This page updates automatically.'
            : 'Its tools are available after you sign in. The sign-in page opens in a new tab.'}
        </p>
        {isWaiting && begin.data !== undefined ? (
          <p>
            <a href={begin.data} target="_blank" rel="noopener noreferrer">
              Open the sign-in page
            </a>
          </p>
        ) : undefined}
        {signIn?.state === 'failed' ? <p>The last attempt failed: {signIn.error}</p> : undefined}
        {begin.error === null ? undefined : <ProblemNote error={begin.error} />}
      </div>
      <Button
        operation="POST /api/servers/{name}/sign-in"
        kind="primary"
        isBusy={begin.isPending}
        onClick={() => begin.mutate()}
      >
        {isWaiting ? 'Start over' : 'Sign in'}
      </Button>
    </div>
  );
}
