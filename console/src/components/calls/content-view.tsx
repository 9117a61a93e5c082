import type { ReactNode } from 'react';
import type { ContentBlock } from '../../api/schema.ts';
import { JsonView } from '../text/json-view.tsx';

const shownTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The content blocks of a result. Text is shown verbatim. */
export function ContentView({ content }: { readonly content: readonly ContentBlock[] }): ReactNode {
  if (content.length === 0) return <p className="faint">No content</p>;
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
      // SVG is not shown: it can contain scripts.
      return shownTypes.has(block.mimeType) ? (
        <img className="result-image" alt="Returned by the tool" src={`data:${block.mimeType};base64,${block.data}`} />
      ) : (
        <p className="faint">Image ({block.mimeType})</p>
      );
    case 'audio':
      return <p className="faint">Audio ({block.mimeType})</p>;
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
