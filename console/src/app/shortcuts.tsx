import { type ReactNode, createContext, use, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';

interface Shortcut {
  readonly keys: string;
  readonly label: string;
  /** Runs repeatedly while the key is held. Keys that answer an approval must not: they would answer the next one too. */
  readonly repeats: boolean;
  run(): void;
}

interface Shortcuts {
  add(shortcut: Shortcut): () => void;
  all(): readonly Shortcut[];
}

const ShortcutsContext = createContext<Shortcuts>({ add: () => () => undefined, all: () => [] });
const sequenceMs = 900;

/** Handles the keyboard shortcuts of the page: single keys (`j`) and sequences (`g i`), except while the user types in a field. */
export function ShortcutKeys({ children }: { readonly children: ReactNode }): ReactNode {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = useMemo(createShortcuts, []);
  useEffect(() => {
    let before = '';
    let beforeAt = 0;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isEditable(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const sequence = performance.now() - beforeAt < sequenceMs ? `${before} ${event.key}` : event.key;
      const all = shortcuts.all();
      // The shortcut that was added last belongs to the innermost component.
      const found = all.findLast(({ keys }) => keys === sequence) ?? all.findLast(({ keys }) => keys === event.key);
      [before, beforeAt] = [event.key, performance.now()];
      if (found === undefined) return;
      event.preventDefault();
      if (!event.repeat || found.repeats) found.run();
    };
    document.addEventListener('keydown', onKeyDown);
    const help = { keys: '?', label: 'Show keyboard shortcuts', repeats: false, run: () => setHelpOpen(true) };
    const removeHelp = shortcuts.add(help);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      removeHelp();
    };
  }, [shortcuts]);
  return (
    <ShortcutsContext value={shortcuts}>
      {children}
      {isHelpOpen ? (
        <Dialog title="Keyboard shortcuts" onClose={() => setHelpOpen(false)}>
          <dl className="keys">
            {[...new Map(shortcuts.all().map((each) => [each.keys, each.label]))].map(([keys, label]) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      ) : undefined}
    </ShortcutsContext>
  );
}

/** Registers a shortcut while the component is mounted. `label` appears in the list of shortcuts (`?`). */
export function useShortcut(
  keys: string,
  label: string,
  run: () => void,
  { isOn = true, repeats = false }: { readonly isOn?: boolean; readonly repeats?: boolean } = {},
): void {
  const shortcuts = use(ShortcutsContext);
  const latest = useEffectEvent(run);
  useEffect(
    () => (isOn ? shortcuts.add({ keys, label: label, repeats, run: () => latest() }) : undefined),
    [shortcuts, keys, label, isOn, repeats],
  );
}

function createShortcuts(): Shortcuts {
  const all: Shortcut[] = [];
  return {
    add(shortcut) {
      all.push(shortcut);
      return () => void all.splice(all.indexOf(shortcut), 1);
    },
    all: () => all,
  };
}

function isEditable(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  );
}
