import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../api/client.ts';
import type { EndedCallDetails } from '../../../api/schema.ts';
import { Button } from '../../../components/button.tsx';
import { ContentView } from '../../../components/calls/content-view.tsx';
import { JsonView } from '../../../components/text/json-view.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';

/** The result of a call: all of it if it is stored, else its beginning. */
export function RecordedResult({ call }: { readonly call: EndedCallDetails }): ReactNode {
  const { callId, result, output, keptCharacters } = call;
  const [isFull, setFull] = useState(false);
  if (isFull) return <FullResult id={callId} />;
  return (
    <>
      {result === undefined ? (
        <ContentView content={output === '' ? [] : [{ type: 'text', text: output }]} />
      ) : (
        <ContentView content={result.content} />
      )}
      {result?.structuredContent === undefined ? undefined : (
        <details className="fold">
          <summary>Structured content</summary>
          <JsonView value={result.structuredContent} />
        </details>
      )}
      {keptCharacters === undefined ? undefined : (
        <Button onClick={() => setFull(true)}>Show all {keptCharacters.toLocaleString('en')} characters</Button>
      )}
      {result === undefined && keptCharacters === undefined && output.length >= 1000 ? (
        <p className="faint">The journal stores the first 1,000 characters.</p>
      ) : undefined}
    </>
  );
}

const pageCharacters = 50_000;

function FullResult({ id }: { readonly id: string }): ReactNode {
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
      <pre className="result" role="group" aria-label="Full result" tabIndex={0}>
        {data?.pages.map(({ text }) => text).join('')}
      </pre>
      {hasNextPage ? (
        <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
          Load more
        </Button>
      ) : undefined}
    </>
  );
}
