import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { onSignedIn } from '../api/browser-key.ts';
import { signedOut } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';

/** Shows how to sign in again when the server refuses this browser. Signing in in another tab is enough. */
export function SignInGuard({ children }: { readonly children: ReactNode }): ReactNode {
  const [signedOutCode, setSignedOutCode] = useState<string>();
  const queries = useQueryClient();
  useEffect(() => {
    // Keep the first code: later requests are cancelled, so their problems cannot be read.
    const onSignedOut = (event: Event): void =>
      setSignedOutCode((before) => before ?? (event instanceof CustomEvent ? String(event.detail) : ''));
    signedOut.addEventListener('signed-out', onSignedOut);
    const stop = onSignedIn(() => {
      void queries.resetQueries();
      setSignedOutCode(undefined);
    });
    return () => {
      signedOut.removeEventListener('signed-out', onSignedOut);
      stop();
    };
  }, [queries]);
  if (signedOutCode === undefined) return children;
  const isKeyMissing = signedOutCode === 'browser-key-wrong';
  return (
    <main className="alone">
      <EmptyState icon="lock" title={isKeyMissing ? 'Sign in again' : 'Signed out'}>
        <p>
          {isKeyMissing
            ? 'This browser has no key for this address: it signed in at another address or port, or its site data was cleared. '
            : 'This browser was signed out, or its session expired. '}
          Run <code>signalbox open</code> on the server’s machine to open a sign-in link.
        </p>
        <Button kind="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </EmptyState>
    </main>
  );
}
