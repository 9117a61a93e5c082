import { type ReactNode, useState } from 'react';
import { Icon } from '../parts/icon.tsx';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const keptAs = 'signalbox-theme';
const icons = { system: 'monitor', light: 'sun', dark: 'moon' } as const;

/** Before the first paint. */
export function applyTheme(theme: Theme = keptTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(keptAs);
  return themes.find((theme) => theme === kept) ?? 'system';
}

/** Goes from one theme to the next. */
export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(keptTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const change = (): void => {
    localStorage.setItem(keptAs, next);
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
