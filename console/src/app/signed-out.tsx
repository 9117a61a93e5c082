import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { onSignedIn } from '../api/browser-key.ts';
import { signedOut } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';

/** Shows how to sign in again when the server refuses this browser. Signing in in another tab is enough. */
export function SignInGuard({ children }: { readonly children: ReactNode }): ReactNode {
  const [refusedAs, setRefusedAs] = useState<string>();
  const queries = useQueryClient();
  useEffect(() => {
    // The first refusal counts: the requests after it are cancelled, so that their problems cannot be read.
    const hear = (event: Event): void =>
      setRefusedAs((before) => before ?? (event instanceof CustomEvent ? String(event.detail) : ''));
    signedOut.addEventListener('signed-out', hear);
    const stop = onSignedIn(() => {
      void queries.resetQueries();
      setRefusedAs(undefined);
    });
    return () => {
      signedOut.removeEventListener('signed-out', hear);
      stop();
    };
  }, [queries]);
  if (refusedAs === undefined) return children;
  const isKeyMissing = refusedAs === 'browser-key-wrong';
  return (
    <main className="alone">
      <EmptyState icon="lock" title={isKeyMissing ? 'Sign in again' : 'Signed out'}>
        <p>
          {isKeyMissing
            ? 'This browser has no key for this address. It was signed in at another address or port, or its stored data was cleared. '
            : 'This browser was signed out, or was away for long. '}
          Run <code>signalbox open</code> on the machine of the server: it opens a link that signs this browser in.
        </p>
        <Button kind="primary" onClick={() => location.reload()}>
          I am signed in: reload
        </Button>
      </EmptyState>
    </main>
  );
}
