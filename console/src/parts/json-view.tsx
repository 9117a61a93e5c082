import { type ReactNode, useState } from 'react';
import { useFirst } from './more.tsx';
import { seen } from './seen.ts';

/** Any JSON, as text that can be folded. */
export function JsonView({ value, open = 2 }: { readonly value: unknown; readonly open?: number }): ReactNode {
  return (
    <div className="json">
      <Value value={value} depth={0} open={open} />
    </div>
  );
}

interface Shown {
  readonly value: unknown;
  readonly name?: string;
  readonly depth: number;
  readonly open: number;
}

function Value({ value, name, depth, open }: Shown): ReactNode {
  if (typeof value === 'object' && value !== null)
    return <Folded value={value} name={name} depth={depth} open={open} />;
  return (
    <div className="json-line">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

const mostShown = 200;

function Folded({
  value,
  name,
  depth,
  open,
}: Omit<Shown, 'value' | 'name'> & { readonly value: object; readonly name: string | undefined }): ReactNode {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const { first: shown, more } = useFirst(entries, mostShown);
  const [isOpen, setOpen] = useState(depth < open);
  const [first, last] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0)
    return (
      <div className="json-line">
        <Name name={name} />
        {first}
        {last}
      </div>
    );
  return (
    <details className="json-fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        {first}
        {isOpen ? '' : ` ${entries.length} ${last}`}
      </summary>
      {isOpen ? (
        <>
          <div className="json-inner">
            {shown.map(([key, each]) => (
              <Value key={key} value={each} {...(isList ? {} : { name: key })} depth={depth + 1} open={open} />
            ))}
            {more}
          </div>
          <div className="json-line">{last}</div>
        </>
      ) : undefined}
    </details>
  );
}

// Any other name is quoted, so that it cannot be taken for a name and a value.
const plain = /^[\w$.-]+$/;

function Name({ name }: { readonly name: string | undefined }): ReactNode {
  return name === undefined ? undefined : (
    <>
      <span className="json-name">{plain.test(name) ? name : seen(JSON.stringify(name))}</span>
      {': '}
    </>
  );
}

/** Text of several lines stands in a block of its own, so that none of it can be taken for the JSON around it. */
function Leaf({ value }: { readonly value: unknown }): ReactNode {
  if (typeof value !== 'string') return <span className="json-fact">{String(value)}</span>;
  if (value.includes('\n')) return <span className="json-block">{seen(value)}</span>;
  return <span className="json-text">{`"${seen(value)}"`}</span>;
}
