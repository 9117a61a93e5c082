import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError } from '../api/client.ts';
import { LiveEvents } from '../live/live.tsx';
import { Notifications } from '../pages/inbox/notifications.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Navigation } from './navigation.tsx';
import { pages } from './pages.tsx';
import { Reader } from './reader.tsx';
import { Link, Router, matchPath, usePlace } from './router.tsx';
import { ShortcutKeys } from './shortcuts.tsx';
import { SignInGuard } from './signed-out.tsx';
import { Toasts } from './toasts.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events tell when something is stale.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status >= 400),
    },
  },
});

/** The whole console. */
export function App(): ReactNode {
  return (
    <QueryClientProvider client={client}>
      <SignInGuard>
        <Reader>
          <Router>
            <Toasts>
              <LiveEvents>
                <ShortcutKeys>
                  <Notifications />
                  <a className="skip" href="#main">
                    Skip to the page
                  </a>
                  <div className="frame">
                    <Navigation />
                    <main id="main" tabIndex={-1}>
                      <CurrentPage />
                    </main>
                  </div>
                </ShortcutKeys>
              </LiveEvents>
            </Toasts>
          </Router>
        </Reader>
      </SignInGuard>
    </QueryClientProvider>
  );
}

function CurrentPage(): ReactNode {
  const { path } = usePlace();
  for (const page of pages) {
    const values = matchPath(page.path, path);
    if (values !== undefined) return <ErrorBoundary key={page.room ?? path}>{page.show(values)}</ErrorBoundary>;
  }
  return (
    <EmptyState icon="question" title="There is no such page">
      <p>
        <Link to="/">Go to the sessions</Link>
      </p>
    </EmptyState>
  );
}
