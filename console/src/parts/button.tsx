import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  /** The key that does the same, shown beside the words. */
  readonly shortcut?: string;
  readonly isBusy?: boolean;
}

/** Something to press. */
export function Button({
  kind = 'plain',
  icon,
  shortcut,
  isBusy = false,
  className = '',
  children,
  disabled = false,
  ...rest
}: Look & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  return (
    <button
      type="button"
      className={`button ${kind} ${className}`}
      disabled={disabled || isBusy}
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

/** A button that is only a drawing; its name is for those who do not see it, and for who waits over it. */
export function IconButton({
  icon,
  label,
  className = '',
  ...rest
}: { readonly icon: IconName; readonly label: string } & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  return (
    <button type="button" className={`icon-button ${className}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
