import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import type { EndedCallDetails } from '../../api/schema.ts';
import { Button } from '../../parts/button.tsx';
import { ContentView } from '../../parts/content-view.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** What a call gave back: the whole where it is kept, else the beginning of it. */
export function CallResult({ call }: { readonly call: EndedCallDetails }): ReactNode {
  const { callId, result, output, keptCharacters } = call;
  const [isWhole, setWhole] = useState(false);
  if (isWhole) return <WholeResult id={callId} />;
  return (
    <>
      {result === undefined ? (
        <ContentView content={output === '' ? [] : [{ type: 'text', text: output }]} />
      ) : (
        <ContentView content={result.content} />
      )}
      {result?.structuredContent === undefined ? undefined : (
        <details className="fold">
          <summary>Structured</summary>
          <JsonView value={result.structuredContent} />
        </details>
      )}
      {keptCharacters === undefined ? undefined : (
        <Button onClick={() => setWhole(true)}>Read all {keptCharacters.toLocaleString('en')} characters</Button>
      )}
      {result === undefined && keptCharacters === undefined && output.length >= 1000 ? (
        <p className="faint">The journal keeps the first 1000 characters.</p>
      ) : undefined}
    </>
  );
}

const pageCharacters = 50_000;

function WholeResult({ id }: { readonly id: string }): ReactNode {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['results', id],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) =>
      api('GET /api/results/{id}', { path: { id }, query: { offset, limit: pageCharacters }, signal }),
    getNextPageParam: ({ next }) => next,
  });
  if (error !== null) return <ProblemNote error={error} />;
  return (
    <>
      <pre className="result" role="group" aria-label="The whole result" tabIndex={0}>
        {data?.pages.map(({ text }) => text).join('')}
      </pre>
      {hasNextPage ? (
        <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
          More
        </Button>
      ) : undefined}
    </>
  );
}
