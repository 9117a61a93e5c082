import type { ComponentProps, ButtonHTMLAttributes, ReactNode } from 'react';
import type { OperationName } from '../api/client.ts';
import { useForbiddenReason } from '../app/current-user.tsx';
import { Icon, type IconName } from './icon.tsx';

interface ForOperation {
  /** The API operation behind the button. It is disabled, with the reason as its title, if the user's role does not allow it. */
  readonly operation?: OperationName | undefined;
}

interface ButtonLook extends ForOperation {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  /** The keyboard shortcut, shown beside the label. */
  readonly shortcut?: string;
  readonly isBusy?: boolean;
}

export function Button({
  kind = 'plain',
  icon,
  shortcut,
  isBusy = false,
  className = '',
  children,
  disabled = false,
  operation,
  title,
  ...rest
}: ButtonLook & ComponentProps<'button'>): ReactNode {
  const refusal = useForbiddenReason(operation);
  return (
    <button
      type="button"
      className={`button ${kind} ${className}`}
      title={refusal ?? title}
      disabled={disabled || isBusy || refusal !== undefined}
      aria-busy={isBusy || undefined}
      aria-keyshortcuts={shortcut}
      {...rest}
    >
      {icon === undefined ? undefined : <Icon name={icon} />}
      {children}
      {shortcut === undefined ? undefined : <kbd aria-hidden="true">{shortcut}</kbd>}
    </button>
  );
}

/** A button with an icon only. The label is its accessible name and tooltip. */
export function IconButton({
  icon,
  label,
  className = '',
  disabled = false,
  operation,
  ...rest
}: ForOperation & {
  readonly icon: IconName;
  readonly label: string;
} & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  const refusal = useForbiddenReason(operation);
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      aria-label={label}
      title={refusal === undefined ? label : `${label}. ${refusal}`}
      disabled={disabled || refusal !== undefined}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
