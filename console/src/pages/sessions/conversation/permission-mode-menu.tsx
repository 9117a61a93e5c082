import { type ReactNode, useState } from 'react';
import type { PermissionMode } from '../../../api/schema.ts';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { PermissionModeChoice, UnaskedBadge, UnaskedNote } from '../permission-mode-choice.tsx';
import { isWeakerMode, modeText } from '../permission-modes.ts';

/** Shows the permission mode of a session, and changes it. A mode that asks less often needs a confirmation. */
export function PermissionModeMenu({
  mode,
  onChange,
}: {
  readonly mode: PermissionMode;
  readonly onChange: (mode: PermissionMode) => void;
}): ReactNode {
  const [step, setStep] = useState<'choose' | 'confirm'>();
  const [chosen, setChosen] = useState(mode);
  const { name, about } = modeText(mode);
  const close = (): void => setStep(undefined);
  const change = (): void => {
    if (chosen !== mode) onChange(chosen);
    close();
  };
  return (
    <>
      <UnaskedBadge mode={mode} />
      <Button
        operation="PATCH /api/sessions/{id}"
        aria-label={`Permission mode: ${name}`}
        aria-haspopup="dialog"
        icon="policies"
        title={about}
        onClick={() => {
          setChosen(mode);
          setStep('choose');
        }}
      >
        {name}
      </Button>
      {step === 'choose' ? (
        <Dialog key="choose" title="Change the permission mode" onClose={close}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (isWeakerMode(chosen, mode)) setStep('confirm');
              else change();
            }}
          >
            <PermissionModeChoice isFirst value={chosen} onChange={setChosen} />
            <p className="faint">The mode applies from the next turn. The change is recorded with your name.</p>
            <div className="actions">
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" type="submit" disabled={chosen === mode}>
                {isWeakerMode(chosen, mode) ? 'Change…' : 'Change'}
              </Button>
            </div>
          </form>
        </Dialog>
      ) : undefined}
      {step === 'confirm' ? (
        <Dialog key="confirm" title={`Change to ${modeText(chosen).name}?`} onClose={close}>
          <UnaskedNote mode={chosen} />
          <div className="actions">
            <Button onClick={close}>Cancel</Button>
            <Button kind="danger" onClick={change}>
              Run these calls without asking
            </Button>
          </div>
        </Dialog>
      ) : undefined}
    </>
  );
}
