import type { Operations } from '../../api/schema.ts';

type CallQuery = Operations['GET /api/calls']['query'];

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

/** What the calls are narrowed by. It stands in the address, so that a view can be kept and sent on. */
export type CallFilters = Readonly<Partial<Record<(typeof names)[number], string>>>;

/** Stretches of time that end now. */
export const spans: Readonly<Record<string, { readonly name: string; readonly ms: number }>> = {
  '15m': { name: 'Last 15 minutes', ms: 900_000 },
  '1h': { name: 'Last hour', ms: 3_600_000 },
  '24h': { name: 'Last day', ms: 86_400_000 },
  '7d': { name: 'Last week', ms: 604_800_000 },
  '30d': { name: 'Last 30 days', ms: 2_592_000_000 },
};

export function filtersOf(search: URLSearchParams): CallFilters {
  return Object.fromEntries(
    names.flatMap((name) => ((search.get(name) ?? '') === '' ? [] : [[name, search.get(name)]])),
  );
}

/** Where those calls are shown. What is empty is left out. */
export function callsAddress(filters: CallFilters, view?: string): string {
  const search = new URLSearchParams(view === undefined || view === 'table' ? {} : { view });
  for (const name of names) if ((filters[name] ?? '') !== '') search.set(name, filters[name] ?? '');
  return search.size === 0 ? '/calls' : `/calls?${search.toString()}`;
}

/** A window of time as the API takes it. */
export function windowOf({ last, since, until }: CallFilters): Pick<CallQuery, 'since' | 'until'> {
  const span = last === undefined ? undefined : spans[last];
  return span === undefined ? { since, until } : { since: new Date(Date.now() - span.ms).toISOString() };
}

/** The filters as the API takes them. What nobody offers is told by the API. */
export function toQuery(filters: CallFilters): CallQuery {
  const { last: _, since: __, until: ___, outcome, decision, ...rest } = filters;
  return {
    ...rest,
    ...windowOf(filters),
    outcome: outcome as CallQuery['outcome'],
    decision: decision as CallQuery['decision'],
  };
}
