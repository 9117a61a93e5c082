import { type ReactNode, useRef } from 'react';
import { useShortcut } from '../app/shortcuts.tsx';
import { Icon } from './icon.tsx';

/** Filters a list. The `/` key focuses it. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  useShortcut('/', 'Search the list', () => field.current?.focus());
  return (
    <label className="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') field.current?.blur();
        }}
      />
    </label>
  );
}
