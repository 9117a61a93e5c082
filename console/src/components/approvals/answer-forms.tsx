import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';
import { useAnswerGuard } from './use-answer-guard.ts';

interface FormProps<Value> {
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly onDone: (value: Value) => void;
}

/** The confirmation of an irreversible call. A held key, a double click or a button that just moved does not confirm. */
export function ConfirmApproval({
  tool,
  isGone,
  isBusy,
  onCancel,
  onDone,
}: FormProps<void> & { readonly tool: string; readonly isGone: boolean }): ReactNode {
  const guard = useAnswerGuard(`confirm ${isGone}`);
  const confirmButton = useRef<HTMLButtonElement>(null);
  const { isReady } = guard;
  useEffect(() => {
    if (isReady) confirmButton.current?.focus();
  }, [isReady]);
  useShortcut('Escape', 'Back', onCancel);
  return (
    <form className="confirm note red" aria-label="Confirm the approval" onSubmit={(event) => event.preventDefault()}>
      <Icon name="warning" />
      <div className="note-text">
        <strong>This cannot be undone.</strong>
        <p>
          {isGone ? 'Allow ' : 'Run '}
          <code>{tool}</code> with exactly these arguments{isGone ? ' once, when the caller retries' : ' now'}?
        </p>
        <div {...guard.buttons} className="actions approval-actions">
          <Button onClick={onCancel}>Back</Button>
          <Button
            ref={confirmButton}
            kind="danger"
            isBusy={isBusy}
            disabled={!isReady}
            onKeyDown={(event) => {
              // A repeated key event comes from a key held since the step before.
              if (event.repeat) event.preventDefault();
            }}
            onClick={(event) => {
              // The second click of a double click was meant for the previous button.
              if (event.detail <= 1) guard.click(event, () => onDone());
            }}
          >
            {isGone ? 'Yes, allow it once' : 'Yes, run it'}
          </Button>
        </div>
        <AnswerHint text={guard.hint} />
      </div>
    </form>
  );
}

/** Shows why an answer was ignored. */
export function AnswerHint({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="faint approval-hint" role="status">
      {text}
    </p>
  );
}

/** Denies a call, with an optional reason for the caller. */
export function DenyForm({ isBusy, onCancel, onDone }: FormProps<string>): ReactNode {
  const [reason, setReason] = useState('');
  return (
    <form
      className="deny"
      onSubmit={(event) => {
        event.preventDefault();
        onDone(reason);
      }}
    >
      <label className="field">
        <span>Reason (optional, shown to the caller)</span>
        <input
          autoFocus
          maxLength={1000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onCancel();
          }}
        />
      </label>
      <div className="actions">
        <Button onClick={onCancel}>Back</Button>
        <Button kind="danger" type="submit" isBusy={isBusy}>
          Deny
        </Button>
      </div>
    </form>
  );
}
