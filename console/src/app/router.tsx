import {
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  createContext,
  use,
  useEffect,
  useState,
} from 'react';

/** The path and query of the current address. */
export interface AppLocation {
  readonly path: string;
  readonly search: URLSearchParams;
}

const navigateEvent = 'signalbox:navigate';
const LocationContext = createContext<AppLocation>({ path: '/', search: new URLSearchParams() });

/** Navigates within the console. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const from = location.pathname;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  // A new page starts at the top; going back, the browser restores the scroll position.
  if (location.pathname !== from) window.scrollTo(0, 0);
  window.dispatchEvent(new Event(navigateEvent));
}

/** Provides the current location to its children. */
export function Router({ children }: { readonly children: ReactNode }): ReactNode {
  const [current, setLocation] = useState(currentLocation);
  useEffect(() => {
    const update = (): void => setLocation(currentLocation());
    window.addEventListener('popstate', update);
    window.addEventListener(navigateEvent, update);
    return () => {
      window.removeEventListener('popstate', update);
      window.removeEventListener(navigateEvent, update);
    };
  }, []);
  return <LocationContext value={current}>{children}</LocationContext>;
}

export function useLocation(): AppLocation {
  return use(LocationContext);
}

/** Returns the parameters of a path that matches a pattern like `/sessions/:id`; `undefined` if it does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = pattern.split('/');
  const actual = path.replace(/(?<=.)\/$/, '').split('/');
  if (expected.length !== actual.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = decode(actual[index] ?? '');
    if (part.startsWith(':')) values[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return values;
}

/** A link within the console. Modified clicks (new tab, download) are left to the browser. */
export function Link({
  to,
  onClick,
  children,
  ...rest
}: { readonly to: string } & AnchorHTMLAttributes<HTMLAnchorElement>): ReactNode {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (event.defaultPrevented || !isPlain) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

function currentLocation(): AppLocation {
  return { path: location.pathname, search: new URLSearchParams(location.search) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
