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

/** A page of the console: its path, navigation entry and component. */
export interface PageEntry {
  /** `/sessions/:id`. The server must serve the path too (`consolePaths` in `src/server/routes/pages/console-routes.ts`). */
  readonly path: string;
  readonly link?: {
    readonly to: string;
    readonly name: string;
    readonly icon: IconName;
    /** The second key of the `g` shortcut. Default: the first letter of the name. */
    readonly key?: string;
  };
  /** Pages of one group share one component instance, so scroll position and form input survive navigation between them. */
  readonly group?: string;
  show(values: Readonly<Record<string, string>>): ReactNode;
}

/** Every page of the console, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  { path: '/', link: { to: '/', name: 'Sessions', icon: 'sessions' }, show: () => <SessionsPage /> },
  { path: '/sessions', show: () => <SessionsPage /> },
  { path: '/sessions/:id', show: ({ id = '' }) => <SessionPage key={id} id={id} /> },
  { path: '/inbox', link: { to: '/inbox', name: 'Inbox', icon: 'inbox' }, show: () => <InboxPage /> },
  { path: '/tools', group: 'tools', link: { to: '/tools', name: 'Tools', icon: 'tools' }, show: () => <ToolsPage /> },
  { path: '/tools/:name', group: 'tools', show: ({ name = '' }) => <ToolsPage name={name} /> },
  {
    path: '/resources',
    link: { to: '/resources', name: 'Resources', icon: 'resources' },
    show: () => <ResourcesPage />,
  },
  {
    path: '/servers',
    group: 'servers',
    link: { to: '/servers', name: 'Servers', icon: 'servers', key: 'v' },
    show: () => <ServersPage />,
  },
  { path: '/servers/:name', group: 'servers', show: ({ name = '' }) => <ServersPage name={name} /> },
  { path: '/calls', link: { to: '/calls', name: 'Calls', icon: 'calls' }, show: () => <CallsPage /> },
  { path: '/calls/:id', show: ({ id = '' }) => <CallPage key={id} id={id} /> },
  { path: '/policies', link: { to: '/policies', name: 'Policies', icon: 'policies' }, show: () => <PoliciesPage /> },
  { path: '/lock', link: { to: '/lock', name: 'Lock', icon: 'lock' }, show: () => <LockPage /> },
];
