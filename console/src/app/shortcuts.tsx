import { type ReactNode, createContext, use, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';

interface Shortcut {
  readonly keys: string;
  readonly what: string;
  /** Does it again while the key is held. What answers a call must not answer the next one, too. */
  readonly repeats: boolean;
  run(): void;
}

interface Shortcuts {
  add(shortcut: Shortcut): () => void;
  all(): readonly Shortcut[];
}

const ShortcutsContext = createContext<Shortcuts>({ add: () => () => undefined, all: () => [] });
const sequenceMs = 900;

/** Hears keys for the whole page: single ones (`j`) and two in a row (`g i`), never while somebody writes. */
export function ShortcutKeys({ children }: { readonly children: ReactNode }): ReactNode {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = useMemo(makeShortcuts, []);
  useEffect(() => {
    let before = '';
    let beforeAt = 0;
    const hear = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const sequence = performance.now() - beforeAt < sequenceMs ? `${before} ${event.key}` : event.key;
      const all = shortcuts.all();
      // What was added last is nearest to the reader.
      const found = all.findLast(({ keys }) => keys === sequence) ?? all.findLast(({ keys }) => keys === event.key);
      [before, beforeAt] = [event.key, performance.now()];
      if (found === undefined) return;
      event.preventDefault();
      if (!event.repeat || found.repeats) found.run();
    };
    document.addEventListener('keydown', hear);
    const help = { keys: '?', what: 'Show these keys', repeats: false, run: () => setHelpOpen(true) };
    const removeHelp = shortcuts.add(help);
    return () => {
      document.removeEventListener('keydown', hear);
      removeHelp();
    };
  }, [shortcuts]);
  return (
    <ShortcutsContext value={shortcuts}>
      {children}
      {isHelpOpen ? (
        <Dialog title="Keys" onClose={() => setHelpOpen(false)}>
          <dl className="keys">
            {[...new Map(shortcuts.all().map((each) => [each.keys, each.what]))].map(([keys, what]) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      ) : undefined}
    </ShortcutsContext>
  );
}

/** A key of the page that is open. `what` is for the list of keys (`?`). */
export function useShortcut(
  keys: string,
  what: string,
  run: () => void,
  { isOn = true, repeats = false }: { readonly isOn?: boolean; readonly repeats?: boolean } = {},
): void {
  const shortcuts = use(ShortcutsContext);
  const latest = useEffectEvent(run);
  useEffect(
    () => (isOn ? shortcuts.add({ keys, what, repeats, run: () => latest() }) : undefined),
    [shortcuts, keys, what, isOn, repeats],
  );
}

function makeShortcuts(): Shortcuts {
  const all: Shortcut[] = [];
  return {
    add(shortcut) {
      all.push(shortcut);
      return () => void all.splice(all.indexOf(shortcut), 1);
    },
    all: () => all,
  };
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  );
}
