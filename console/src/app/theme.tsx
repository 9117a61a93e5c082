import { type ReactNode, useState } from 'react';
import { Icon } from '../components/icon.tsx';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const storageKey = 'signalbox-theme';
const icons = { system: 'monitor', light: 'sun', dark: 'moon' } as const;

/** Applies the stored theme. Runs before the first paint. */
export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

/** Switches between the system, light and dark theme. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(storedTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const change = (): void => {
    localStorage.setItem(storageKey, next);
    applyTheme(next);
    setTheme(next);
  };
  const label = `Theme: ${theme}. Change to ${next}`;
  return (
    <button type="button" className="icon-button" onClick={change} aria-label={label} title={label}>
      <Icon name={icons[theme]} />
    </button>
  );
}
