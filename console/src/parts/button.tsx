import type { ComponentProps, ButtonHTMLAttributes, ReactNode } from 'react';
import type { Operations } from '../api/schema.ts';
import { useRefusal } from '../app/reader.tsx';
import { Icon, type IconName } from './icon.tsx';

interface Asking {
  /** What pressing it leads to asking the server for: whoever may not, cannot press it, and sees why. */
  readonly asks?: keyof Operations | undefined;
}

interface Look extends Asking {
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
  asks,
  title,
  ...rest
}: Look & ComponentProps<'button'>): ReactNode {
  const refusal = useRefusal(asks);
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

/** A button that is only a drawing; its name is for those who do not see it, and for who waits over it. */
export function IconButton({
  icon,
  label,
  className = '',
  disabled = false,
  asks,
  ...rest
}: Asking & { readonly icon: IconName; readonly label: string } & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  const refusal = useRefusal(asks);
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
