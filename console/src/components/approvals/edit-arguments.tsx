import { type ReactNode, useId, useState } from 'react';
import { Button } from '../button.tsx';

type Arguments = Readonly<Record<string, unknown>>;

/** Edits the arguments as JSON. The server validates them against the tool's schema. */
export function EditArguments({
  value,
  isBusy,
  onDone,
  onCancel,
}: {
  readonly value: Arguments;
  readonly isBusy: boolean;
  readonly onDone: (edited: Arguments) => void;
  readonly onCancel: () => void;
}): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const errorId = useId();
  const parsed = readArguments(text);
  const isInvalid = typeof parsed === 'string';
  return (
    <form
      className="edit"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof parsed !== 'string') onDone(parsed);
      }}
    >
      <label className="field">
        <span>Arguments to run with, as JSON</span>
        <textarea
          autoFocus
          className="code"
          spellCheck={false}
          rows={Math.min(20, text.split('\n').length + 1)}
          value={text}
          aria-invalid={isInvalid}
          aria-describedby={errorId}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onCancel();
          }}
        />
      </label>
      <p id={errorId} className="wrong" role="status">
        {isInvalid ? parsed : ''}
      </p>
      <div className="actions">
        <Button onClick={onCancel}>Back</Button>
        <Button kind="primary" type="submit" icon="check" disabled={isInvalid} isBusy={isBusy}>
          Approve with edits
        </Button>
      </div>
    </form>
  );
}

function readArguments(text: string): Arguments | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
    return 'Arguments must be a JSON object: { … }';
  } catch (error) {
    return (error as Error).message;
  }
}
