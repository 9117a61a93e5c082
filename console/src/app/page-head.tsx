import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { queries } from '../api/queries.ts';

/** Sets the title of the browser tab, with the number of pending approvals. */
export function useTitle(title: string): void {
  const { data: waiting } = useQuery(queries.waiting());
  const count = waiting === undefined || waiting.total === 0 ? '' : `(${waiting.total}) `;
  useEffect(() => {
    document.title = `${count}${title} · Signalbox`;
  }, [count, title]);
}

/** The header of a page: title, subtitle and actions. Also sets the title of the browser tab. */
export function PageHead({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  useTitle(title);
  return (
    <div className="page-head">
      <div className="page-words">
        <h1>{title}</h1>
        {about === undefined ? undefined : <p className="faint">{about}</p>}
      </div>
      <div className="page-actions">{children}</div>
    </div>
  );
}
