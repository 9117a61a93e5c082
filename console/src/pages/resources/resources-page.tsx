import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import type { ResponseOf } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link, navigate, useLocation } from '../../app/router.tsx';
import { Badge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { PromptDetail } from './prompt-detail.tsx';
import { ResourceDetail } from './resource-detail.tsx';

type Resources = ResponseOf<'GET /api/resources'>;
type Prompts = ResponseOf<'GET /api/prompts'>;

/** A list item: a resource, a resource template, or a prompt. */
export type Readable =
  | { readonly kind: 'resource'; readonly address: string; readonly item: Resources['items'][number] }
  | { readonly kind: 'template'; readonly address: string; readonly item: Resources['templates'][number] }
  | { readonly kind: 'prompt'; readonly address: string; readonly item: Prompts['items'][number] };

/** Lists resources and prompts next to the selected one. The selection is in the URL. */
export function ResourcesPage(): ReactNode {
  const resources = useQuery(queries.resources());
  const prompts = useQuery(queries.prompts());
  const { search } = useLocation();
  const words = search.get('q') ?? '';
  const deferred = useDeferredValue(words);
  const all = useMemo(() => readables(resources.data, prompts.data), [resources.data, prompts.data]);
  const shown = useMemo(() => all.filter((each) => matches(each, deferred)), [all, deferred]);
  const chosen = all.find((each) => keyOf(each) === search.get('open'));
  const error = resources.error ?? prompts.error;
  const linkTo = (each: Readable): string => {
    const next = new URLSearchParams(search);
    next.set('open', keyOf(each));
    return `/resources?${next.toString()}`;
  };
  return (
    <div className={chosen === undefined ? 'split' : 'split chosen'}>
      <div className="split-list">
        <PageHead title="Resources" about={counted(all)} />
        <SearchField
          label="Search resources and prompts"
          value={words}
          onChange={(value) =>
            navigate(value === '' ? '/resources' : `/resources?${new URLSearchParams({ q: value })}`, { replace: true })
          }
        />
        {error === null ? undefined : <ProblemNote error={error} onRetry={() => void resources.refetch()} />}
        {resources.data === undefined || prompts.data === undefined ? undefined : all.length === 0 ? (
          <EmptyState icon="resources" title="No resources or prompts">
            <p>
              No connected server has any. <Link to="/servers">Add a server</Link>
            </p>
          </EmptyState>
        ) : shown.length === 0 ? (
          <p className="faint none">No resources or prompts match these filters</p>
        ) : (
          <div className="rows" role="group" aria-label="Resources and prompts" tabIndex={0}>
            {shown.map((each) => (
              <Link key={keyOf(each)} to={linkTo(each)} className="split-row" aria-current={each === chosen}>
                <span className="split-row-head">
                  <span className="split-row-name">{each.item.name ?? each.address}</span>
                  <Badge tone="gray">{each.kind}</Badge>
                </span>
                <span className="split-row-about">
                  {each.item.server} · {each.item.description ?? each.address}
                </span>
              </Link>
            ))}
          </div>
        )}
      </div>
      <div className="split-detail">
        {chosen === undefined ? (
          <EmptyState icon="resources" title="Select a resource or prompt">
            <p>Read a resource, or start a session from a prompt. Reads are recorded.</p>
          </EmptyState>
        ) : (
          <>
            <Link to="/resources" className="back">
              All resources
            </Link>
            {chosen.kind === 'prompt' ? (
              <PromptDetail key={keyOf(chosen)} prompt={chosen.item} />
            ) : (
              <ResourceDetail
                key={keyOf(chosen)}
                server={chosen.item.server}
                address={chosen.address}
                about={chosen.item.description}
                name={chosen.item.name}
              />
            )}
          </>
        )}
      </div>
    </div>
  );
}

function readables(resources: Resources | undefined, prompts: Prompts | undefined): readonly Readable[] {
  return [
    ...(prompts?.items ?? []).map((item): Readable => ({ kind: 'prompt', address: item.name, item })),
    ...(resources?.templates ?? []).map((item): Readable => ({ kind: 'template', address: item.uriTemplate, item })),
    ...(resources?.items ?? []).map((item): Readable => ({ kind: 'resource', address: item.uri, item })),
  ];
}

function keyOf({ kind, address, item }: Readable): string {
  return `${kind} ${item.server} ${address}`;
}

function matches({ address, item, kind }: Readable, words: string): boolean {
  const text = `${kind} ${address} ${item.server} ${item.name ?? ''} ${item.description ?? ''}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function counted(all: readonly Readable[]): string {
  const prompts = all.filter(({ kind }) => kind === 'prompt').length;
  return `${all.length - prompts} resources, ${prompts} ${prompts === 1 ? 'prompt' : 'prompts'}`;
}
