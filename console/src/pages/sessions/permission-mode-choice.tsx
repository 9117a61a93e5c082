import type { ReactNode } from 'react';
import type { PermissionMode } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { modeText, permissionModes } from './permission-modes.ts';

/** The permission modes as radio buttons. A list with type-ahead would change the mode with a key that was meant for a prompt. */
export function PermissionModeChoice({
  value,
  isFirst = false,
  onChange,
}: {
  /** Whether it is the first field of its dialog, and gets the focus. */
  readonly isFirst?: boolean;
  readonly value: PermissionMode;
  readonly onChange: (mode: PermissionMode) => void;
}): ReactNode {
  return (
    <fieldset className="choices">
      <legend>Permission mode</legend>
      {permissionModes.map(({ mode, name, about }) => (
        <label key={mode} className="mode-choice">
          <input
            type="radio"
            name="mode"
            checked={mode === value}
            onChange={() => onChange(mode)}
            data-autofocus={isFirst && mode === value ? '' : undefined}
          />
          <span>
            {name} <span className="faint">{about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Warns that calls will no longer ask in a mode. */
export function UnaskedNote({ mode }: { readonly mode: PermissionMode }): ReactNode {
  const { unasked } = modeText(mode);
  if (unasked === undefined) return undefined;
  return (
    <div className={`note ${unasked.tone}`} role="status">
      <Icon name="warning" />
      <div className="note-text">
        <p>{unasked.calls}</p>
      </div>
    </div>
  );
}

/** Marks a session whose mode asks less often than the rules. */
export function UnaskedBadge({ mode }: { readonly mode: PermissionMode }): ReactNode {
  const { unasked } = modeText(mode);
  return unasked === undefined ? undefined : <Badge tone={unasked.tone}>{unasked.warning}</Badge>;
}
