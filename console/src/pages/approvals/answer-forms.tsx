import { type ReactNode, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../../parts/button.tsx';

interface FormProperties<Given> {
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly onDone: (given: Given) => void;
}

/** The second step before something that cannot be undone. */
export function ConfirmApproval({
  tool,
  isGone,
  isBusy,
  onCancel,
  onDone,
}: FormProperties<void> & { readonly tool: string; readonly isGone: boolean }): ReactNode {
  useShortcut('Escape', 'Back', onCancel);
  return (
    <form
      className="confirm note red"
      aria-label="Confirm the approval"
      onSubmit={(event) => {
        event.preventDefault();
        onDone();
      }}
    >
      <div className="note-text">
        <strong>This cannot be undone.</strong>
        <p>
          {isGone ? 'Allow ' : 'Run '}
          <code>{tool}</code> with exactly these arguments{isGone ? ' once, when its caller asks again' : ' now'}?
        </p>
        <div className="actions approval-actions">
          <Button onClick={onCancel}>Back</Button>
          <Button
            kind="danger"
            type="submit"
            autoFocus
            isBusy={isBusy}
            onClick={(event) => {
              // The second click of a double click was meant for the button before.
              if (event.detail > 1) event.preventDefault();
            }}
          >
            {isGone ? 'Yes, allow it once' : 'Yes, run it'}
          </Button>
        </div>
      </div>
    </form>
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
        <span>Why not? (told to whoever made the call; may be left empty)</span>
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
