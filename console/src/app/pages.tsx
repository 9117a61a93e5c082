import type { ReactNode } from 'react';
import type { IconName } from '../parts/icon.tsx';
import { InboxPage } from '../pages/inbox/inbox-page.tsx';
import { SessionPage } from '../pages/sessions/session-page.tsx';
import { SessionsPage } from '../pages/sessions/sessions-page.tsx';

/** A page, where it is, and how it stands in the navigation. */
export interface PageEntry {
  /** `/sessions/:id`; the server answers there too (`consolePlaces` in `src/server/routes/console.ts`). */
  readonly path: string;
  readonly link?: { readonly to: string; readonly name: string; readonly icon: IconName };
  show(values: Readonly<Record<string, string>>): ReactNode;
}

/** Every page of the console, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  { path: '/', link: { to: '/', name: 'Sessions', icon: 'sessions' }, show: () => <SessionsPage /> },
  { path: '/sessions/:id', show: ({ id = '' }) => <SessionPage key={id} id={id} /> },
  { path: '/inbox', link: { to: '/inbox', name: 'Inbox', icon: 'inbox' }, show: () => <InboxPage /> },
];
