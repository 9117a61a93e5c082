import type { QueryOf } from '../../api/client.ts';

type CallQuery = QueryOf<'GET /api/calls'>;

const names = [
  'session',
  'server',
  'tool',
  'outcome',
  'decision',
  'principal',
  'text',
  'last',
  'since',
  'until',
] as const;

/** The filters of the calls page. They are stored in the address, so that a view can be bookmarked and shared. */
export type CallFilters = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** Time ranges that end now. */
export const timeSpans: Readonly<Record<string, { readonly name: string; readonly ms: number }>> = {
  '15m': { name: 'Last 15 minutes', ms: 900_000 },
  '1h': { name: 'Last hour', ms: 3_600_000 },
  '24h': { name: 'Last day', ms: 86_400_000 },
  '7d': { name: 'Last week', ms: 604_800_000 },
  '30d': { name: 'Last 30 days', ms: 2_592_000_000 },
};

export function parseCallFilters(search: URLSearchParams): CallFilters {
  return Object.fromEntries(
    names.flatMap((name) => ((search.get(name) ?? '') === '' ? [] : [[name, search.get(name)]])),
  );
}

/** Returns the address of the calls page with these filters. Empty filters are left out. */
export function callsUrl(filters: CallFilters, view?: string): string {
  const search = new URLSearchParams(view === undefined || view === 'table' ? {} : { view });
  for (const name of names) if ((filters[name] ?? '') !== '') search.set(name, filters[name] ?? '');
  return search.size === 0 ? '/calls' : `/calls?${search.toString()}`;
}

/** Converts the time filters to query parameters. */
export function toTimeWindow({ last, since, until }: CallFilters): Pick<CallQuery, 'since' | 'until'> {
  const span = last === undefined ? undefined : timeSpans[last];
  return span === undefined ? { since, until } : { since: new Date(Date.now() - span.ms).toISOString() };
}

/** Converts the filters to query parameters. The server validates their values. */
export function toCallQuery(filters: CallFilters): CallQuery {
  const { last: _, since: __, until: ___, outcome, decision, ...rest } = filters;
  return {
    ...rest,
    ...toTimeWindow(filters),
    outcome: outcome as CallQuery['outcome'],
    decision: decision as CallQuery['decision'],
  };
}
