import { type ReactNode, type Ref, useMemo, useRef } from 'react';
import type { PolicyCheck } from '../../api/schema.ts';

type Problem = PolicyCheck['problems'][number];

/** A YAML editor with line numbers and marked errors. */
export function RuleEditor({
  ref,
  text,
  problems,
  onChange,
  onSave,
}: {
  readonly ref: Ref<HTMLTextAreaElement>;
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}): ReactNode {
  const lineNumbers = useRef<HTMLDivElement>(null);
  const underlay = useRef<HTMLPreElement>(null);
  const problemsByLine = useMemo(() => Map.groupBy(problems, ({ line }) => line), [problems]);
  const lines = useMemo(() => text.split('\n'), [text]);
  return (
    <div className="rule-editor">
      <div className="line-numbers" aria-hidden="true" ref={lineNumbers}>
        {lines.map((_, index) => (
          <span
            key={index}
            className={problemsByLine.has(index + 1) ? 'wrong-line' : undefined}
            title={problemsByLine
              .get(index + 1)
              ?.map(({ message }) => message)
              .join('\n')}
          >
            {index + 1}
          </span>
        ))}
      </div>
      <div className="rule-text">
        <pre aria-hidden="true" ref={underlay}>
          {lines.map((line, index) => (
            <MarkedLine key={index} line={line} problems={problemsByLine.get(index + 1)} />
          ))}
        </pre>
        <textarea
          ref={ref}
          aria-label="Rules, as YAML"
          aria-invalid={problems.length > 0}
          aria-describedby={problems.length > 0 ? 'policy-errors' : undefined}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          wrap="off"
          value={text}
          onChange={(event) => onChange(event.target.value)}
          onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => {
            lineNumbers.current?.scrollTo({ top: scrollTop });
            underlay.current?.scrollTo({ top: scrollTop, left: scrollLeft });
          }}
          onKeyDown={(event) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            onSave();
          }}
        />
      </div>
    </div>
  );
}

/** A line of the invisible copy below the text, which underlines errors. */
function MarkedLine({
  line,
  problems,
}: {
  readonly line: string;
  readonly problems: readonly Problem[] | undefined;
}): ReactNode {
  const column = problems?.[0]?.column;
  if (column === undefined) return `${line}\n`;
  const at = Math.max(0, Math.min(column - 1, line.length - 1));
  const length = /^[\w.-]+/.exec(line.slice(at))?.[0].length ?? 1;
  return (
    <>
      {line.slice(0, at)}
      <mark>{line.slice(at, at + length) || ' '}</mark>
      {`${line.slice(at + length)}\n`}
    </>
  );
}

/** Moves the cursor to a line and column, counted from 1. */
export function moveCursorTo(field: HTMLTextAreaElement | null, line: number, column: number): void {
  if (field === null) return;
  const before = field.value.split('\n').slice(0, Math.max(0, line - 1));
  const offset = before.reduce((sum, each) => sum + each.length + 1, 0) + Math.max(0, column - 1);
  field.focus();
  field.setSelectionRange(offset, offset);
  const lineHeight = Number.parseFloat(getComputedStyle(field).lineHeight);
  field.scrollTop = Math.max(0, (line - 4) * lineHeight);
}
