import {
  type AnchorHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  createContext,
  use,
  useEffect,
  useState,
} from 'react';

/** Where the reader is. */
export interface Place {
  readonly path: string;
  readonly search: URLSearchParams;
}

const moved = 'signalbox:moved';
const PlaceContext = createContext<Place>({ path: '/', search: new URLSearchParams() });

/** Goes to another place of the console. */
export function navigate(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const from = location.pathname;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  // Another page is read from its beginning; going back, the browser itself knows where that was.
  if (location.pathname !== from) window.scrollTo(0, 0);
  window.dispatchEvent(new Event(moved));
}

/** Tells everything inside it where the reader is. */
export function Router({ children }: { readonly children: ReactNode }): ReactNode {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const look = (): void => setPlace(here());
    window.addEventListener('popstate', look);
    window.addEventListener(moved, look);
    return () => {
      window.removeEventListener('popstate', look);
      window.removeEventListener(moved, look);
    };
  }, []);
  return <PlaceContext value={place}>{children}</PlaceContext>;
}

export function usePlace(): Place {
  return use(PlaceContext);
}

/** The values that a path has in a pattern like `/sessions/:id`, or nothing where it does not fit. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] ?? '');
    if (part.startsWith(':')) values[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return values;
}

/** A link within the console. Whatever a browser does with links (new tab, copy) works. */
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

function here(): Place {
  return { path: location.pathname, search: new URLSearchParams(location.search) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
