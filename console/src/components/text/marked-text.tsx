import { type ReactNode, createContext, use, useMemo, useState } from 'react';
import { FoldedSummary } from './folded-summary.tsx';
import { measureFolded, previewLength } from './folded-text.ts';
import { escapeInvisible } from './escape-invisible.ts';
import type { TextMark } from './text-mark.ts';

/** Provides the marks of the displayed value. */
export const MarksContext = createContext<readonly TextMark[]>([]);

function useMarks(path: string, isInName: boolean): readonly TextMark[] {
  const all = use(MarksContext);
  return useMemo(
    () =>
      all
        .filter((mark) => mark.path === path && mark.isInName === isInName)
        .toSorted((left, right) => left.start - right.start),
    [all, path, isInName],
  );
}

/** A property name. Unusual names are quoted, so that they cannot look like a name and a value. */
export function MarkedName({ name, path }: { readonly name: string; readonly path: string }): ReactNode {
  const marks = useMarks(path, true);
  const isPlain = marks.length === 0 && /^[\w$.-]+$/.test(name);
  if (isPlain) return name;
  return marks.length === 0 ? (
    escapeInvisible(JSON.stringify(name))
  ) : (
    <>
      &quot;
      <Marked text={name} marks={marks} />
      &quot;
    </>
  );
}

/**
 * A string value. Multi-line text is shown as a block, so that it cannot look like the surrounding JSON. Long text is folded and
 * shows the size of the rest.
 */
export function MarkedText({ text, path }: { readonly text: string; readonly path: string }): ReactNode {
  const marks = useMarks(path, false);
  const [isWhole, setWhole] = useState(false);
  const cut = marks.reduce((end, mark) => (mark.start < end && end < mark.end ? mark.end : end), previewLength(text));
  const isFolded = !isWhole && cut < text.length;
  const shown = isFolded ? text.slice(0, cut) : text;
  const marked = <Marked text={shown} marks={marks} />;
  const folded = useMemo(() => (isFolded ? measureFolded(text.slice(cut)) : undefined), [isFolded, text, cut]);
  return (
    <>
      {text.includes('\n') ? (
        <span className="json-block">{marked}</span>
      ) : (
        <span className="json-text">
          &quot;{marked}
          {isFolded ? '' : '"'}
        </span>
      )}
      {folded === undefined ? undefined : (
        <FoldedSummary
          folded={folded}
          hasMarks={marks.some(({ start }) => start >= cut)}
          onShow={() => setWhole(true)}
        />
      )}
    </>
  );
}

function Marked({ text, marks }: { readonly text: string; readonly marks: readonly TextMark[] }): ReactNode {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { start, end, tone, words } of marks) {
    if (start >= text.length) break;
    parts.push(
      escapeInvisible(text.slice(at, start)),
      <mark key={start} className={`text-mark ${tone}`}>
        {escapeInvisible(text.slice(start, end))} <small>{words}</small>
      </mark>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      {escapeInvisible(text.slice(at))}
    </>
  );
}
