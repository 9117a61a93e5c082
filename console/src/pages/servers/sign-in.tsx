import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { ServerDetails } from '../../api/schema.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** Signing in at a server that is protected: in another tab, while this one waits. */
export function SignIn({ server }: { readonly server: ServerDetails }): ReactNode {
  const { name, needsSignIn, signIn } = server;
  const cache = useQueryClient();
  const begin = useMutation({
    mutationFn: async () => {
      const { url } = await api('POST /api/servers/{name}/sign-in', { path: { name } });
      // The address comes from the server that asks for it.
      if (!/^https?:$/.test(new URL(url).protocol))
        throw new Error(`it names no address of the web to sign in at: ${url}`);
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
        <strong>{isWaiting ? 'Waiting for you to sign in' : 'Nobody is signed in at this server'}</strong>
        <p>
          {isWaiting
            ? 'Finish in the tab that was opened; this page goes on by itself.'
            : 'Its tools are offered once you have signed in, in another tab of this browser.'}
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
        asks="POST /api/servers/{name}/sign-in"
        kind="primary"
        isBusy={begin.isPending}
        onClick={() => begin.mutate()}
      >
        {isWaiting ? 'Begin again' : 'Sign in'}
      </Button>
    </div>
  );
}
