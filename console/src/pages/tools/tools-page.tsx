import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { queries } from '../../api/queries.ts';
import type { Effect } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link, navigate, useLocation } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { ToolDetail } from './tool-detail.tsx';
import { ToolList } from './tool-list.tsx';
import { type Row, type ToolFilters, filterRows, toolEntries } from './tool-rows.ts';
import './tools.css';

const effects: readonly (readonly [ToolFilters['effect'], string])[] = [
  ['', 'Any effect'],
  ['read', 'Read'],
  ['undoable', 'Undoable'],
  ['compensable', 'Compensable'],
  ['irreversible', 'Irreversible'],
  ['hidden', 'Hidden'],
];

/** The catalog beside the selected tool. The filters are in the address. */
export function ToolsPage({ name }: { readonly name?: string }): ReactNode {
  const { data: catalog, error, refetch } = useQuery(queries.tools());
  const { path, search } = useLocation();
  const filters: ToolFilters = {
    words: search.get('q') ?? '',
    server: search.get('server') ?? '',
    effect: (search.get('effect') ?? '') as Effect | 'hidden' | '',
    isGrouped: search.get('flat') === null,
  };
  const words = useDeferredValue(filters.words);
  const { server, effect, isGrouped } = filters;
  const entries = useMemo(() => (catalog === undefined ? [] : toolEntries(catalog)), [catalog]);
  const rows = useMemo(
    () => filterRows(entries, { words, server, effect, isGrouped }),
    [entries, words, server, effect, isGrouped],
  );
  const setFilter = (key: string, value: string): void => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(key);
    else next.set(key, value);
    navigate(`${path}${queryString(next)}`, { replace: true });
  };
  const linkTo = (tool: string): string => `/tools/${encodeURIComponent(tool)}${queryString(search)}`;
  const at = rows.findIndex((row) => nameOf(row) === name);
  const move = (step: 1 | -1): void => {
    const rest = step === 1 ? rows.slice(at + 1) : rows.slice(0, Math.max(0, at)).toReversed();
    const next = rest.map(nameOf).find((each) => each !== undefined);
    if (next !== undefined) navigate(linkTo(next), { replace: name !== undefined });
  };
  useShortcut('j', 'Next tool', () => move(1), { repeats: true });
  useShortcut('k', 'Previous tool', () => move(-1), { repeats: true });
  return (
    <div className={name === undefined ? 'split' : 'split chosen'}>
      <div className="split-list">
        <PageHead title="Tools" {...(catalog === undefined ? {} : { about: countText(catalog) })} />
        <SearchField label="Search tools" value={filters.words} onChange={(value) => setFilter('q', value)} />
        <div className="filters">
          <select aria-label="Server" value={server} onChange={(event) => setFilter('server', event.target.value)}>
            <option value="">All servers</option>
            {catalog?.servers.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
          <select aria-label="Effect" value={effect} onChange={(event) => setFilter('effect', event.target.value)}>
            {effects.map(([value, shown]) => (
              <option key={value} value={value}>
                {shown}
              </option>
            ))}
          </select>
          <label className="check">
            <input
              type="checkbox"
              checked={isGrouped}
              onChange={(event) => setFilter('flat', event.target.checked ? '' : 'yes')}
            />
            Group by server
          </label>
        </div>
        {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
        {catalog === undefined ? undefined : rows.length > 0 ? (
          <ToolList rows={rows} current={name} selected={at} linkTo={linkTo} />
        ) : (
          <NoTools isEmpty={entries.length === 0} onAll={() => navigate('/tools')} />
        )}
      </div>
      <div className="split-detail">
        {name === undefined ? (
          <EmptyState icon="tools" title="Select a tool">
            <p>Read its schema or try it. Calls from here are checked and recorded like any other.</p>
          </EmptyState>
        ) : catalog === undefined ? undefined : (
          <>
            <Link to={`/tools${queryString(search)}`} className="back">
              All tools
            </Link>
            <ToolDetail key={name} name={name} catalog={catalog} />
          </>
        )}
      </div>
    </div>
  );
}

function NoTools({ isEmpty, onAll }: { readonly isEmpty: boolean; readonly onAll: () => void }): ReactNode {
  return isEmpty ? (
    <EmptyState icon="tools" title="No tools yet">
      <p>
        <Link to="/servers">Add a server</Link> to see its tools here.
      </p>
    </EmptyState>
  ) : (
    <p className="faint none">
      No tools match these filters.{' '}
      <button type="button" className="link" onClick={onAll}>
        Clear filters
      </button>
    </p>
  );
}

function nameOf(row: Row): string | undefined {
  if (row.kind === 'server') return undefined;
  return row.kind === 'tool' ? row.tool.name : row.hidden.name;
}

function queryString(search: URLSearchParams): string {
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function countText({
  items,
  hidden,
  servers,
}: {
  items: readonly unknown[];
  hidden: readonly unknown[];
  servers: readonly unknown[];
}): string {
  const withheld = hidden.length === 0 ? '' : `, ${hidden.length} hidden`;
  return `${items.length} available${withheld}, from ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}`;
}
