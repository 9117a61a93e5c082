import { type ReactNode, memo } from 'react';
import { type Block, type Inline, parseBlocks, parseInline } from './markdown.ts';

/** Renders the Markdown of a model. HTML is shown as text, nothing is loaded, and links show their target. */
export const MarkdownView = memo(function Prose({ text }: { readonly text: string }): ReactNode {
  const blocks = parseBlocks(text);
  const top = blocks.reduce((least, block) => (block.kind === 'heading' ? Math.min(least, block.level) : least), 6);
  return <div className="prose">{shown(blocks, top)}</div>;
});

/** `top`: the level of the highest heading, which is rendered below the heading of the page. */
function shown(blocks: readonly Block[], top: number): ReactNode {
  return blocks.map((block, index) => <Shown key={index} block={block} top={top} />);
}

function Shown({ block, top }: { readonly block: Block; readonly top: number }): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return <p>{inline(block.text)}</p>;
    case 'heading': {
      const Heading = (['h2', 'h3', 'h4', 'h5'] as const)[Math.max(0, block.level - top)] ?? 'h6';
      return <Heading>{inline(block.text)}</Heading>;
    }
    case 'code':
      return <pre className="code-block">{block.text}</pre>;
    case 'quote':
      return <blockquote>{shown(block.blocks, top)}</blockquote>;
    case 'rule':
      return <hr />;
    case 'list':
      return <List block={block} top={top} />;
    case 'table':
      return <Table block={block} />;
  }
}

function List({
  block: { first, items },
  top,
}: {
  readonly block: Block & { kind: 'list' };
  readonly top: number;
}): ReactNode {
  const shownItems = items.map((item, index) => {
    const [only] = item;
    return (
      <li key={index}>{item.length === 1 && only?.kind === 'paragraph' ? inline(only.text) : shown(item, top)}</li>
    );
  });
  return first === undefined ? <ul>{shownItems}</ul> : <ol start={first}>{shownItems}</ol>;
}

function Table({ block: { head, rows } }: { readonly block: Block & { kind: 'table' } }): ReactNode {
  return (
    <div className="prose-table">
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(text: string): ReactNode {
  return pieces(parseInline(text));
}

function pieces(all: readonly Inline[]): ReactNode {
  return all.map((piece, index) => {
    switch (piece.kind) {
      case 'text':
        return piece.text;
      case 'code':
        return <code key={index}>{piece.text}</code>;
      case 'strong':
        return <strong key={index}>{pieces(piece.pieces)}</strong>;
      case 'emphasis':
        return <em key={index}>{pieces(piece.pieces)}</em>;
      case 'struck':
        return <s key={index}>{pieces(piece.pieces)}</s>;
      case 'link':
        return <Link key={index} {...piece} />;
    }
  });
}

/** A link whose target is shown beside it: a prompt injection can make a model write any label. */
function Link({ address, pieces: said }: Inline & { kind: 'link' }): ReactNode {
  const [only] = said;
  const { origin, place } = placeOf(address);
  const saysIt = said.length === 1 && only?.kind === 'text' && only.text === address && address.startsWith(origin);
  return (
    <>
      <a href={address} title={address} target="_blank" rel="noreferrer noopener">
        {pieces(said)}
      </a>
      {saysIt ? undefined : <span className="faint"> ({place})</span>}
    </>
  );
}

/** Returns the target as the browser resolves it, which can differ from its look: `https://known.example@other.example`. */
function placeOf(address: string): { readonly origin: string; readonly place: string } {
  try {
    const { origin, host, pathname } = new URL(address);
    return { origin, place: host === '' ? pathname : host };
  } catch {
    return { origin: '', place: address };
  }
}
