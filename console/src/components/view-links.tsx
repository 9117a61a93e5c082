import type { ReactNode } from 'react';
import { Link } from '../app/router.tsx';

/** Links to the views of a page, each with its own address. */
export function ViewLinks({
  label,
  views,
  current,
}: {
  readonly label: string;
  readonly views: readonly { readonly view: string; readonly name: ReactNode; readonly to: string }[];
  readonly current: string;
}): ReactNode {
  return (
    <nav className="views" aria-label={label}>
      {views.map(({ view, name, to }) => (
        <Link key={view} to={to} aria-current={view === current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
