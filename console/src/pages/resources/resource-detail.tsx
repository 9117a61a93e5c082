import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api } from '../../api/client.ts';
import type { ContentBlock } from '../../api/schema.ts';
import { Button } from '../../components/button.tsx';
import { ContentView } from '../../components/calls/content-view.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

/** A resource, or a template with a URI to complete. */
export function ResourceDetail({
  server,
  address,
  name,
  about,
}: {
  readonly server: string;
  readonly address: string;
  readonly name: string | undefined;
  readonly about: string | undefined;
}): ReactNode {
  const [uri, setUri] = useState(address);
  const field = useId();
  const read = useMutation({ mutationFn: () => api('POST /api/resources/read', { body: { server, uri } }) });
  return (
    <article className="detail">
      <h2>{name ?? address}</h2>
      <p className="faint">{about ?? `Resource of ${server}`}</p>
      <form
        className="resource-form"
        onSubmit={(event) => {
          event.preventDefault();
          read.mutate();
        }}
      >
        <div className="field form-field">
          <label htmlFor={field}>{address.includes('{') ? 'URI (fill in the parts in braces)' : 'URI'}</label>
          <input id={field} value={uri} spellCheck={false} onChange={(event) => setUri(event.target.value)} />
        </div>
        <Button type="submit" operation="POST /api/resources/read" kind="primary" isBusy={read.isPending}>
          Read
        </Button>
      </form>
      {read.error === null ? undefined : <ProblemNote error={read.error} onRetry={() => read.mutate()} />}
      {read.data === undefined ? undefined : (
        <section className="outcome card" aria-label="Contents">
          <ContentView content={read.data.contents.map(blockOf)} />
        </section>
      )}
    </article>
  );
}

/** Converts contents to a block: text and pictures are shown, anything else is described. */
function blockOf(content: Readonly<Record<string, unknown>>): ContentBlock {
  const { text, blob, mimeType } = content;
  if (typeof text === 'string') return { type: 'text', text };
  if (typeof blob === 'string' && typeof mimeType === 'string' && mimeType.startsWith('image/'))
    return { type: 'image', data: blob, mimeType };
  return { type: 'text', text: `${typeof mimeType === 'string' ? mimeType : 'Bytes'} at ${String(content['uri'])}` };
}
