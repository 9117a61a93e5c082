import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments in the human's version, as JSON. What the tool does not take, the server refuses with the place. */
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
  const told = useId();
  const read = readArguments(text);
  const isWrong = typeof read === 'string';
  return (
    <form
      className="edit"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof read !== 'string') onDone(read);
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
          aria-invalid={isWrong}
          aria-describedby={told}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onCancel();
          }}
        />
      </label>
      <p id={told} className="wrong" role="status">
        {isWrong ? read : ''}
      </p>
      <div className="actions">
        <Button onClick={onCancel}>Back</Button>
        <Button kind="primary" type="submit" icon="check" disabled={isWrong} isBusy={isBusy}>
          Approve with these
        </Button>
      </div>
    </form>
  );
}

function readArguments(text: string): Arguments | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Arguments;
    return 'Arguments are a JSON object: { … }';
  } catch (error) {
    return (error as Error).message;
  }
}
