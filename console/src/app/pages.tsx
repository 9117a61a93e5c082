import type { ReactNode } from 'react';
import type { IconName } from '../components/icon.tsx';
import { CallPage } from '../pages/calls/call/call-page.tsx';
import { CallsPage } from '../pages/calls/calls-page.tsx';
import { InboxPage } from '../pages/inbox/inbox-page.tsx';
import { PoliciesPage } from '../pages/policies/policies-page.tsx';
import { SessionPage } from '../pages/sessions/session-page.tsx';
import { SessionsPage } from '../pages/sessions/sessions-page.tsx';
import { LockPage } from '../pages/lock/lock-page.tsx';
import { ResourcesPage } from '../pages/resources/resources-page.tsx';
import { ServersPage } from '../pages/servers/servers-page.tsx';
import { ToolsPage } from '../pages/tools/tools-page.tsx';

/** A page, where it is, and how it stands in the navigation. */
export interface PageEntry {
  /** `/sessions/:id`; the server answers there too (`consolePlaces` in `src/server/routes/pages/console-routes.ts`). */
  readonly path: string;
  readonly link?: {
    readonly to: string;
    readonly name: string;
    readonly icon: IconName;
    /** Goes there after `g`; the first letter of the name unless another page has that. */
    readonly key?: string;
  };
  /** Going from one page of a room to another keeps what was scrolled and typed. */
  readonly room?: string;
  show(values: Readonly<Record<string, string>>): ReactNode;
}

/** Every page of the console, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  { path: '/', link: { to: '/', name: 'Sessions', icon: 'sessions' }, show: () => <SessionsPage /> },
  { path: '/sessions', show: () => <SessionsPage /> },
  { path: '/sessions/:id', show: ({ id = '' }) => <SessionPage key={id} id={id} /> },
  { path: '/inbox', link: { to: '/inbox', name: 'Inbox', icon: 'inbox' }, show: () => <InboxPage /> },
  { path: '/tools', room: 'tools', link: { to: '/tools', name: 'Tools', icon: 'tools' }, show: () => <ToolsPage /> },
  { path: '/tools/:name', room: 'tools', show: ({ name = '' }) => <ToolsPage name={name} /> },
  {
    path: '/resources',
    link: { to: '/resources', name: 'Resources', icon: 'resources' },
    show: () => <ResourcesPage />,
  },
  {
    path: '/servers',
    room: 'servers',
    link: { to: '/servers', name: 'Servers', icon: 'servers', key: 'v' },
    show: () => <ServersPage />,
  },
  { path: '/servers/:name', room: 'servers', show: ({ name = '' }) => <ServersPage name={name} /> },
  { path: '/calls', link: { to: '/calls', name: 'Calls', icon: 'calls' }, show: () => <CallsPage /> },
  { path: '/calls/:id', show: ({ id = '' }) => <CallPage key={id} id={id} /> },
  { path: '/policies', link: { to: '/policies', name: 'Policies', icon: 'policies' }, show: () => <PoliciesPage /> },
  { path: '/lock', link: { to: '/lock', name: 'Lock', icon: 'lock' }, show: () => <LockPage /> },
];
