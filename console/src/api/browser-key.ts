// The page that opens after the sign-in link writes it (`src/server/pages/sign-in-pages.ts`).
const storedAs = 'signalbox-browser-key';

/**
 * Returns the header that shows that a request comes from this origin. A browser sends the cookie to every port of the host, but
 * only pages of this origin can read its storage. Read each time: another tab may have signed in again.
 */
export function browserKeyHeaders(): Readonly<Record<string, string>> {
  const key = localStorage.getItem(storedAs);
  return key === null ? {} : { 'Signalbox-Browser-Key': key };
}

/** Removes the key, in all tabs. */
export function forgetBrowserKey(): void {
  localStorage.removeItem(storedAs);
}

/** Calls back when another tab has signed in. */
export function onSignedIn(listener: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === storedAs && newValue !== null) listener();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
