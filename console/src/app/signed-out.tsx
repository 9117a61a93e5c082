import { type ReactNode, useEffect, useState } from 'react';
import { signedOut } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';

/** Shows how to sign in again when the server does not know this browser any more. */
export function SignInGuard({ children }: { readonly children: ReactNode }): ReactNode {
  const [isSignedOut, setSignedOut] = useState(false);
  useEffect(() => {
    const hear = (): void => setSignedOut(true);
    signedOut.addEventListener('signed-out', hear);
    return () => signedOut.removeEventListener('signed-out', hear);
  }, []);
  if (!isSignedOut) return children;
  return (
    <main className="alone">
      <EmptyState icon="lock" title="Signed out">
        <p>
          This browser was signed out, or was away for long. Open the link that <code>signalbox serve</code> prints when
          it starts; it signs this browser in.
        </p>
        <Button kind="primary" onClick={() => location.reload()}>
          I am signed in: reload
        </Button>
      </EmptyState>
    </main>
  );
}
