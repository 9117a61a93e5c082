import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { forgetBrowserKey } from '../api/browser-key.ts';
import { api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { useLiveState } from '../live/live-events.tsx';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { pages } from './pages.tsx';
import { useCurrentUser, useForbiddenReason } from './current-user.tsx';
import { Link, navigate, useLocation } from './router.tsx';
import { useShortcut } from './shortcuts.tsx';
import { ThemeSwitch } from './theme.tsx';
import { useToaster } from './toasts.tsx';

/** Links to every page and shows the connection state. On a narrow screen it collapses into a menu. */
export function Navigation(): ReactNode {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const { data: waiting } = useQuery(queries.waiting());
  const { data: elicitations = [] } = useQuery(queries.elicitations());
  const waitingCount = (waiting?.total ?? 0) + elicitations.length;
  return (
    <header className={isOpen ? 'side open' : 'side'}>
      <div className="side-head">
        <Link to="/" className="brand">
          <Mark />
          Signalbox
        </Link>
        <IconButton
          className="side-toggle"
          icon={isOpen ? 'close' : 'menu'}
          label={isOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      <nav aria-label="Pages">
        <ul>
          {pages.flatMap(({ link }) =>
            link === undefined ? (
              []
            ) : (
              <li key={link.to}>
                <Link
                  to={link.to}
                  aria-current={isAt(path, link.to) ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                >
                  <Icon name={link.icon} />
                  {link.name}
                  {link.to === '/inbox' && waitingCount > 0 ? (
                    <span className="count">
                      {waitingCount}
                      <span className="unseen"> waiting</span>
                    </span>
                  ) : undefined}
                </Link>
                <PageShortcut to={link.to} name={link.name} letter={link.key ?? link.name[0]?.toLowerCase() ?? ''} />
              </li>
            ),
          )}
        </ul>
      </nav>
      <CurrentRole />
      <div className="side-foot">
        <Connection />
        <span className="side-buttons">
          <ThemeSwitch />
          <SignOut />
        </span>
      </div>
    </header>
  );
}

/** Registers the shortcut of a page: `g`, then the page's letter. */
function PageShortcut({
  to,
  name,
  letter,
}: {
  readonly to: string;
  readonly name: string;
  readonly letter: string;
}): ReactNode {
  useShortcut(`g ${letter}`, `Go to ${name}`, () => navigate(to));
  return undefined;
}

function isAt(path: string, to: string): boolean {
  return to === '/' ? path === '/' || path.startsWith('/sessions') : path === to || path.startsWith(`${to}/`);
}

const stateNames = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' } as const;

function Connection(): ReactNode {
  const state = useLiveState();
  const { data: info } = useQuery(queries.info());
  return (
    <p
      className={`connection ${state}`}
      role="status"
      title={info === undefined ? undefined : `Journal: ${info.journal}`}
    >
      <span className="dot" />
      <span>{stateNames[state]}</span>
      {info === undefined || state === 'reconnecting' ? undefined : <span className="faint">{info.version}</span>}
    </p>
  );
}

/** Warns that the page receives no updates while the server cannot be reached. */
export function ConnectionBanner(): ReactNode {
  const state = useLiveState();
  return (
    <div role="status">
      {state === 'reconnecting' ? (
        <p className="connection-banner note amber">
          <Icon name="warning" />
          Not connected. This page may be outdated.
        </p>
      ) : undefined}
    </div>
  );
}

/** Shows the role of the current user, except for an admin, who has no restrictions. */
function CurrentRole(): ReactNode {
  const reader = useCurrentUser();
  if (reader === undefined || reader.role === 'admin') return undefined;
  return (
    <p className="reads-as" title={`Signed in as ${reader.id}. Actions that this role does not allow are disabled.`}>
      Role <strong>{reader.role}</strong>
    </p>
  );
}

function SignOut(): ReactNode {
  const toaster = useToaster();
  const refusal = useForbiddenReason('POST /api/sign-out');
  const leave = async (): Promise<void> => {
    try {
      await api('POST /api/sign-out');
      forgetBrowserKey();
      location.assign('/');
    } catch (error) {
      toaster.error(error);
    }
  };
  // A request with a token has no browser session to end.
  if (refusal !== undefined) return undefined;
  return <IconButton icon="leave" label="Sign out" onClick={() => void leave()} />;
}

function Mark(): ReactNode {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <circle cx="16" cy="9.5" r="3.5" />
      <circle cx="16" cy="22.5" r="5" />
    </svg>
  );
}
