import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useSettled } from './use-settled.ts';

interface FormProperties<Given> {
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly onDone: (given: Given) => void;
}

/** The second step before something that cannot be undone. A held key, a double click or a button that moved does not take it. */
export function ConfirmApproval({
  tool,
  isGone,
  isBusy,
  onCancel,
  onDone,
}: FormProperties<void> & { readonly tool: string; readonly isGone: boolean }): ReactNode {
  const settled = useSettled(`confirm ${isGone}`);
  const yes = useRef<HTMLButtonElement>(null);
  const { isSettled } = settled;
  useEffect(() => {
    if (isSettled) yes.current?.focus();
  }, [isSettled]);
  useShortcut('Escape', 'Back', onCancel);
  return (
    <form className="confirm note red" aria-label="Confirm the approval" onSubmit={(event) => event.preventDefault()}>
      <Icon name="warning" />
      <div className="note-text">
        <strong>This cannot be undone.</strong>
        <p>
          {isGone ? 'Allow ' : 'Run '}
          <code>{tool}</code> with exactly these arguments{isGone ? ' once, when its caller asks again' : ' now'}?
        </p>
        <div {...settled.buttons} className="actions approval-actions">
          <Button onClick={onCancel}>Back</Button>
          <Button
            ref={yes}
            kind="danger"
            isBusy={isBusy}
            disabled={!isSettled}
            onKeyDown={(event) => {
              // A held key repeats, and was pressed for the step before.
              if (event.repeat) event.preventDefault();
            }}
            onClick={(event) => {
              // The second click of a double click was meant for the button before.
              if (event.detail <= 1) settled.click(event, () => onDone());
            }}
          >
            {isGone ? 'Yes, allow it once' : 'Yes, run it'}
          </Button>
        </div>
        <Hint text={settled.hint} />
      </div>
    </form>
  );
}

/** Says why an answer did not count. */
export function Hint({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="faint approval-hint" role="status">
      {text}
    </p>
  );
}

/** Says no, with a reason for the caller. */
export function DenyForm({ isBusy, onCancel, onDone }: FormProperties<string>): ReactNode {
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
        <span>Reason (optional; the caller sees it)</span>
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
