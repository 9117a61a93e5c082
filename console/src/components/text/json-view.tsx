import { type ReactNode, useMemo, useState } from 'react';
import { FoldedSummary, FoldedKinds } from './folded-summary.tsx';
import { measureFolded, formatSize } from './folded-text.ts';
import { initialEntries } from './initially-open.ts';
import { MarkedName, MarkedText, MarksContext } from './marked-text.tsx';
import type { TextMark } from './text-mark.ts';

/** Renders JSON as foldable text. Folded parts show their size. */
export function JsonView({
  value,
  open = 2,
  marks = noMarks,
}: {
  readonly value: unknown;
  /** The number of levels that are open at first, or the lists and objects that are. */
  readonly open?: OpenParts;
  readonly marks?: readonly TextMark[];
}): ReactNode {
  return (
    <MarksContext value={marks}>
      <div className="json">
        <Value value={value} path="" depth={0} open={open} />
      </div>
    </MarksContext>
  );
}

type OpenParts = number | ReadonlySet<object>;

const noMarks: readonly TextMark[] = [];

interface Shown {
  readonly value: unknown;
  readonly name?: string | undefined;
  /** JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly depth: number;
  readonly open: OpenParts;
}

function Value({ value, name, path, depth, open }: Shown): ReactNode {
  if (typeof value === 'object' && value !== null)
    return <Entries value={value} name={name} path={path} depth={depth} open={open} />;
  return (
    <div className="json-line">
      <Name name={name} path={path} />
      {typeof value === 'string' ? (
        <MarkedText text={value} path={path} />
      ) : (
        <span className="json-fact">{String(value)}</span>
      )}
    </div>
  );
}

/** Deeper levels are not indented further, to leave room for their text. */
const maxIndented = 10;
// Large enough to show the rest at once in most cases.
const moreEntries = 5000;

function Entries({ value, name, path, depth, open }: Shown & { readonly value: object }): ReactNode {
  const isList = Array.isArray(value);
  const entries = useMemo(() => Object.entries(value), [value]);
  const [isOpen, setOpen] = useState(typeof open === 'number' ? depth < open : open.has(value));
  const [count, setCount] = useState(initialEntries);
  const left = Math.max(0, entries.length - count);
  const folded = useMemo(() => {
    if (isOpen && left === 0) return undefined;
    return measureFolded(textOf(isOpen ? Object.fromEntries(entries.slice(count)) : value));
  }, [isOpen, left, entries, count, value]);
  const [first, last] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0)
    return (
      <div className="json-line">
        <Name name={name} path={path} />
        {first}
        {last}
      </div>
    );
  return (
    <details className="json-fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} path={path} />
        {first}
        {isOpen || folded === undefined ? undefined : (
          <>
            <span className="json-folded">{` ${formatSize(folded)} folded ${last} `}</span>
            <FoldedKinds folded={folded} />
          </>
        )}
      </summary>
      {isOpen ? (
        <>
          <div className={depth < maxIndented ? 'json-inner' : undefined}>
            {entries.slice(0, count).map(([key, each]) => (
              <Value
                key={key}
                value={each}
                name={isList ? undefined : key}
                path={`${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`}
                depth={depth + 1}
                open={open}
              />
            ))}
            {folded === undefined ? undefined : (
              <FoldedSummary
                folded={folded}
                entries={Math.min(left, moreEntries)}
                onShow={() => setCount(count + moreEntries)}
              />
            )}
          </div>
          <div className="json-line">{last}</div>
        </>
      ) : undefined}
    </details>
  );
}

/** Returns a value as text with real line breaks, so that lines are counted as they are displayed. */
function textOf(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(String.raw`\n`, '\n');
}

function Name({ name, path }: { readonly name: string | undefined; readonly path: string }): ReactNode {
  return name === undefined ? undefined : (
    <>
      <span className="json-name">
        <MarkedName name={name} path={path} />
      </span>
      {': '}
    </>
  );
}
