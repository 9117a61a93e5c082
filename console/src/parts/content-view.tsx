import type { ReactNode } from 'react';
import type { ContentBlock } from '../api/schema.ts';
import { JsonView } from './json-view.tsx';

const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What a tool gave back. Text is text, whatever it looks like. */
export function ContentView({ content }: { readonly content: readonly ContentBlock[] }): ReactNode {
  if (content.length === 0) return <p className="faint">Nothing was given back.</p>;
  return content.map((block, index) => <Block key={index} block={block} />);
}

function Block({ block }: { readonly block: ContentBlock }): ReactNode {
  switch (block.type) {
    case 'text':
      return (
        <pre className="result" role="group" aria-label="Text" tabIndex={0}>
          {block.text}
        </pre>
      );
    case 'image':
      // A drawing that can hold scripts is not shown.
      return shownTypes.has(block.mimeType) ? (
        <img
          className="result-image"
          alt="What the tool gave back"
          src={`data:${block.mimeType};base64,${block.data}`}
        />
      ) : (
        <p className="faint">An image of the type {block.mimeType}</p>
      );
    case 'audio':
      return <p className="faint">Audio of the type {block.mimeType}</p>;
    case 'resource_link':
      return (
        <p>
          {block.name} <code className="faint">{block.uri}</code>
        </p>
      );
    case 'resource':
      return <JsonView value={block.resource} open={1} />;
  }
}
