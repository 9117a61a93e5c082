import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/** What pages look up. The first part of each key is what live events make stale. */
export const queries = {
  info: () => queryOptions({ queryKey: ['info'], queryFn: ({ signal }) => api('GET /api/info', { signal }) }),
  agents: () => queryOptions({ queryKey: ['agents'], queryFn: ({ signal }) => api('GET /api/agents', { signal }) }),
  approvals: () =>
    queryOptions({
      queryKey: ['approvals'],
      queryFn: async ({ signal }) => {
        const { items } = await api('GET /api/approvals', { signal });
        return items.filter(({ state }) => state === 'pending');
      },
    }),
  sessions: () =>
    queryOptions({
      queryKey: ['sessions'],
      queryFn: async ({ signal }) => (await api('GET /api/sessions', { signal })).items,
    }),
  session: (id: string) =>
    queryOptions({
      queryKey: ['sessions', id],
      queryFn: ({ signal }) => api('GET /api/sessions/{id}', { path: { id }, signal }),
    }),
};
