import { Fragment, type ReactNode, memo } from 'react';

/** What a model says: text, with code set apart. Nothing in it is ever taken for HTML. */
export const Prose = memo(function Prose({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="prose">
      {text.split(/^```.*\n?/m).map((piece, index) =>
        index % 2 === 1 ? (
          <pre key={index} className="code-block">
            {piece.replace(/\n$/, '')}
          </pre>
        ) : (
          <Fragment key={index}>{inline(piece)}</Fragment>
        ),
      )}
    </div>
  );
});

function inline(text: string): ReactNode {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece, index) => {
    if (index % 2 === 0) return piece;
    if (piece.startsWith('`')) return <code key={index}>{piece.slice(1, -1)}</code>;
    return <strong key={index}>{piece.slice(2, -2)}</strong>;
  });
}
