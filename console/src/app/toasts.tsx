import { type ReactNode, createContext, use, useCallback, useState } from 'react';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { toProblemText } from '../components/problem-note.tsx';
import { Link } from './router.tsx';

/** Optional parts of a toast. */
interface ToastDetails {
  readonly detail?: string;
  readonly link?: { readonly to: string; readonly words: string };
}

interface Toast extends ToastDetails {
  readonly id: number;
  readonly tone: 'green' | 'amber' | 'red';
  readonly title: string;
}

/** Shows toasts. */
export interface Toaster {
  success(title: string, details?: ToastDetails): void;
  /** Reports an action that succeeded only in part. */
  warn(title: string, details: ToastDetails): void;
  error(error: unknown): void;
}

const ToastContext = createContext<Toaster>({
  success: () => undefined,
  warn: () => undefined,
  error: () => undefined,
});
const shownMs = 6000;
let count = 0;

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const [toaster] = useState<Toaster>(() => {
    const add = (toast: Omit<Toast, 'id'>): void => {
      const id = (count += 1);
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      // Warnings and errors stay until they are dismissed.
      if (toast.tone === 'green') setTimeout(() => remove(id), shownMs);
    };
    return {
      success: (title, details) => add({ tone: 'green', title, ...details }),
      warn: (title, details) => add({ tone: 'amber', title, ...details }),
      error: (error) => {
        const { title, message } = toProblemText(error);
        add({ tone: 'red', title, detail: message });
      },
    };
  });
  return (
    <ToastContext value={toaster}>
      {children}
      <div className="toasts" role="status">
        {toasts.map(({ id, tone, title, detail, link }) => (
          <div key={id} className={`toast note ${tone}`}>
            <Icon name={tone === 'green' ? 'check' : 'warning'} />
            <div className="note-text">
              <strong>{title}</strong>
              {detail === undefined ? undefined : <p>{detail}</p>}
              {link === undefined ? undefined : <Link to={link.to}>{link.words}</Link>}
            </div>
            <IconButton icon="close" label="Dismiss" onClick={() => remove(id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

export function useToaster(): Toaster {
  return use(ToastContext);
}
