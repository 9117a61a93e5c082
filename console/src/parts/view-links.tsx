import type { ReactNode } from 'react';
import { Link } from '../app/router.tsx';

/** Several views of one page, each with an address of its own. */
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
