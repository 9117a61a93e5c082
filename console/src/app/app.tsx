import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError } from '../api/client.ts';
import { LiveEvents } from '../live/live-events.tsx';
import { Notifications } from '../pages/inbox/notifications.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { ConnectionBanner, Navigation } from './navigation.tsx';
import { pages } from './pages.tsx';
import { CurrentUserProvider } from './current-user.tsx';
import { Link, Router, matchPath, useLocation } from './router.tsx';
import { ShortcutKeys } from './shortcuts.tsx';
import { SignInGuard } from './sign-in-guard.tsx';
import { ToastProvider } from './toasts.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Live events invalidate stale queries.
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status >= 400),
    },
  },
});

/** The root component of the console. */
export function App(): ReactNode {
  return (
    <QueryClientProvider client={client}>
      <SignInGuard>
        <CurrentUserProvider>
          <Router>
            <ToastProvider>
              <LiveEvents>
                <ShortcutKeys>
                  <Notifications />
                  <a className="skip" href="#main">
                    Skip to content
                  </a>
                  <ConnectionBanner />
                  <div className="frame">
                    <Navigation />
                    <main id="main" tabIndex={-1}>
                      <CurrentPage />
                    </main>
                  </div>
                </ShortcutKeys>
              </LiveEvents>
            </ToastProvider>
          </Router>
        </CurrentUserProvider>
      </SignInGuard>
    </QueryClientProvider>
  );
}

function CurrentPage(): ReactNode {
  const { path } = useLocation();
  for (const page of pages) {
    const values = matchPath(page.path, path);
    if (values !== undefined) return <ErrorBoundary key={page.group ?? path}>{page.show(values)}</ErrorBoundary>;
  }
  return (
    <EmptyState icon="question" title="Page not found">
      <p>
        <Link to="/">Go to sessions</Link>
      </p>
    </EmptyState>
  );
}
