import { type ReactNode, Fragment, memo } from 'react';
import type { MarkedToken, Token, Tokens } from 'marked';
import { linkTarget, parseMarkdown } from './markdown.ts';

/** Renders the Markdown of a model. HTML is shown as text, nothing is loaded, and links show their target. */
export const MarkdownView = memo(function MarkdownView({ text }: { readonly text: string }): ReactNode {
  const tokens = parseMarkdown(text);
  const top = tokens.reduce((least, token) => (token.type === 'heading' ? Math.min(least, token['depth']) : least), 6);
  return <div className="prose">{rendered(tokens, top)}</div>;
});

/** Renders tokens. `top` is the level of the highest heading, which is rendered below the heading of the page. */
function rendered(tokens: readonly Token[] | undefined, top = 1): ReactNode {
  return tokens?.map((token, index) => <Fragment key={index}>{renderToken(token as MarkedToken, top)}</Fragment>);
}

function renderToken(token: MarkedToken, top: number): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return <p>{rendered(token.tokens)}</p>;
    case 'heading': {
      const Heading = (['h2', 'h3', 'h4', 'h5'] as const)[Math.max(0, token.depth - top)] ?? 'h6';
      return <Heading>{rendered(token.tokens)}</Heading>;
    }
    case 'code':
      return <pre className="code-block">{token.text}</pre>;
    case 'blockquote':
      return <blockquote>{rendered(token.tokens, top)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'list':
      return <List list={token} top={top} />;
    case 'table':
      return <Table table={token} />;
    case 'strong':
      return <strong>{rendered(token.tokens)}</strong>;
    case 'em':
      return <em>{rendered(token.tokens)}</em>;
    case 'del':
      return <s>{rendered(token.tokens)}</s>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return <Link link={token} />;
    case 'image':
      // An image would tell its server what its address contains.
      return <Link link={{ ...token, type: 'link' }} />;
    case 'br':
      return <br />;
    case 'escape':
      return token.text;
    case 'text':
      return token.tokens === undefined ? token.text : rendered(token.tokens);
    case 'space':
    case 'checkbox':
      return undefined;
    case 'html':
    case 'def':
    case 'list_item':
      return token.raw;
  }
}

function List({ list, top }: { readonly list: Tokens.List; readonly top: number }): ReactNode {
  const items = list.items.map((item, index) => (
    <li key={index}>
      {item.task && (item.checked === true ? '☑ ' : '☐ ')}
      {rendered(item.tokens, top)}
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table: { header, rows } }: { readonly table: Tokens.Table }): ReactNode {
  return (
    <div className="prose-table">
      <table>
        <thead>
          <tr>
            {header.map((cell, column) => (
              <th key={column} scope="col">
                {rendered(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{rendered(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A link whose target is shown beside it: a prompt injection can make a model write any label. */
function Link({ link: { href, text, raw, tokens } }: { readonly link: Tokens.Link }): ReactNode {
  const target = linkTarget(href);
  if (target === undefined) return raw;
  const place = target.host === '' ? target.pathname : target.host;
  const isOwnLabel = text === href && href.startsWith(target.origin);
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noreferrer noopener">
        {tokens.length === 0 ? text : rendered(tokens)}
      </a>
      {isOwnLabel ? undefined : <span className="faint"> ({place})</span>}
    </>
  );
}
