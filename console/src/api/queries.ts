import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type QueryOf, api } from './client.ts';
import type { RememberScope } from './schema.ts';

/** The queries of the pages. Live events invalidate queries by the first part of their keys. */
export const queries = {
  info: () => queryOptions({ queryKey: ['info'], queryFn: ({ signal }) => api('GET /api/info', { signal }) }),
  agents: () => queryOptions({ queryKey: ['agents'], queryFn: ({ signal }) => api('GET /api/agents', { signal }) }),
  /** The number of pending approvals, in total and by caller. */
  waiting: () =>
    queryOptions({
      queryKey: ['approvals', 'waiting'],
      queryFn: async ({ signal }) => {
        const query = { state: 'pending', limit: 1 } as const;
        const { total, callers } = await api('GET /api/approvals', { query, signal });
        return { total, callers };
      },
    }),
  /** Pages of pending approvals, of one principal or of all. */
  waitingCalls: (principal: string | undefined) =>
    infiniteQueryOptions({
      queryKey: ['approvals', 'waiting', 'calls', principal],
      queryFn: ({ pageParam: cursor, signal }) =>
        api('GET /api/approvals', { query: { state: 'pending', principal, cursor }, signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next,
    }),
  /** Pending questions of servers. */
  elicitations: () =>
    queryOptions({
      queryKey: ['elicitations'],
      queryFn: async ({ signal }) => (await api('GET /api/elicitations', { signal })).items,
    }),
  approval: (id: string) =>
    queryOptions({
      queryKey: ['approvals', id],
      queryFn: ({ signal }) => api('GET /api/approvals/{id}', { path: { id }, signal }),
    }),
  remembering: (id: string, scope: RememberScope) =>
    queryOptions({
      queryKey: ['approvals', id, 'remember', scope],
      queryFn: ({ signal }) => api('GET /api/approvals/{id}/remember', { path: { id }, query: { scope }, signal }),
    }),
  servers: () =>
    queryOptions({
      queryKey: ['servers'],
      queryFn: async ({ signal }) => (await api('GET /api/servers', { signal })).items,
    }),
  server: (name: string) =>
    queryOptions({
      queryKey: ['servers', name],
      queryFn: ({ signal }) => api('GET /api/servers/{name}', { path: { name }, signal }),
    }),
  lock: () =>
    queryOptions({ queryKey: ['lock'], queryFn: async ({ signal }) => (await api('GET /api/lock', { signal })).items }),
  resources: () =>
    queryOptions({ queryKey: ['resources'], queryFn: ({ signal }) => api('GET /api/resources', { signal }) }),
  prompts: () => queryOptions({ queryKey: ['prompts'], queryFn: ({ signal }) => api('GET /api/prompts', { signal }) }),
  tools: () => queryOptions({ queryKey: ['tools'], queryFn: ({ signal }) => api('GET /api/tools', { signal }) }),
  call: (id: string) =>
    queryOptions({
      queryKey: ['call', id],
      queryFn: ({ signal }) => api('GET /api/calls/{id}', { path: { id }, signal }),
    }),
  /** The newest calls that match. The query is built on each fetch, because a relative time window moves. */
  callWindow: (
    { filters, limit }: { readonly filters: object; readonly limit: number },
    query: () => QueryOf<'GET /api/calls'> = () => ({}),
  ) =>
    queryOptions({
      queryKey: ['call-window', filters, limit],
      queryFn: ({ signal }) => api('GET /api/calls', { query: { ...query(), limit }, signal }),
    }),
  statistics: (filters: object, query: () => QueryOf<'GET /api/statistics'>) =>
    queryOptions({
      queryKey: ['statistics', filters],
      queryFn: ({ signal }) => api('GET /api/statistics', { query: query(), signal }),
    }),
  policies: () =>
    queryOptions({ queryKey: ['policies'], queryFn: ({ signal }) => api('GET /api/policies', { signal }) }),
  /** Remembered approvals. */
  rules: () =>
    queryOptions({
      queryKey: ['rules'],
      queryFn: async ({ signal }) => (await api('GET /api/approvals/rules', { signal })).items,
    }),
  /** The ids of the calls that were last undone, optionally of one session. */
  undone: (session?: string) =>
    queryOptions({
      queryKey: ['undone', session],
      queryFn: async ({ signal }) => {
        const query = { session, type: 'Undone', limit: 500 } as const;
        const { items } = await api('GET /api/journal', { query, signal });
        return items.flatMap((entry) => (entry.type === 'Undone' && entry.result === 'undone' ? [entry.callId] : []));
      },
    }),
  clients: () => queryOptions({ queryKey: ['clients'], queryFn: ({ signal }) => api('GET /api/clients', { signal }) }),
  importableServers: () =>
    queryOptions({ queryKey: ['import'], queryFn: ({ signal }) => api('GET /api/import', { signal }) }),
  /** The 100 sessions that were last active. */
  recentSessions: () =>
    queryOptions({
      queryKey: ['sessions', 'list', 'recent'],
      queryFn: async ({ signal }) => (await api('GET /api/sessions', { query: { limit: 100 }, signal })).items,
    }),
  session: (id: string) =>
    queryOptions({
      queryKey: ['sessions', id],
      queryFn: ({ signal }) => api('GET /api/sessions/{id}', { path: { id }, signal }),
    }),
};
