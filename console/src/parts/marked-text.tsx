import { type ReactNode, createContext, use, useMemo, useState } from 'react';
import { FoldNote } from './fold-note.tsx';
import { measureFolded, shownLength } from './folded-text.ts';
import { seen } from './seen.ts';
import type { TextMark } from './text-mark.ts';

/** The marks of the value that is shown. */
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

/** The name of a property. Any but a plain one is quoted, so that it cannot be taken for a name and a value. */
export function MarkedName({ name, path }: { readonly name: string; readonly path: string }): ReactNode {
  const marks = useMarks(path, true);
  const isPlain = marks.length === 0 && /^[\w$.-]+$/.test(name);
  if (isPlain) return name;
  return marks.length === 0 ? (
    seen(JSON.stringify(name))
  ) : (
    <>
      &quot;
      <Marked text={name} marks={marks} />
      &quot;
    </>
  );
}

/**
 * A string. Text of several lines is in a block of its own, so that none of it can be taken for the JSON around it. Long text is
 * folded, and says how much of it is.
 */
export function MarkedText({ text, path }: { readonly text: string; readonly path: string }): ReactNode {
  const marks = useMarks(path, false);
  const [isWhole, setWhole] = useState(false);
  const cut = marks.reduce((end, mark) => (mark.start < end && end < mark.end ? mark.end : end), shownLength(text));
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
        <FoldNote folded={folded} hasMarks={marks.some(({ start }) => start >= cut)} onShow={() => setWhole(true)} />
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
      seen(text.slice(at, start)),
      <mark key={start} className={`text-mark ${tone}`}>
        {seen(text.slice(start, end))} <small>{words}</small>
      </mark>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      {seen(text.slice(at))}
    </>
  );
}
