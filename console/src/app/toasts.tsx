import { type ReactNode, createContext, use, useCallback, useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { told } from '../parts/problem-note.tsx';
import { Link } from './router.tsx';

/** More than the title of a toast. */
interface ToastDetails {
  readonly detail?: string;
  readonly link?: { readonly to: string; readonly words: string };
}

interface Toast extends ToastDetails {
  readonly id: number;
  readonly tone: 'green' | 'amber' | 'red';
  readonly title: string;
}

/** Tells the reader what came of something. */
export interface Tell {
  done(title: string, details?: ToastDetails): void;
  /** It was done, but not all that was asked for. */
  warn(title: string, details: ToastDetails): void;
  problem(error: unknown): void;
}

const ToastContext = createContext<Tell>({
  done: () => undefined,
  warn: () => undefined,
  problem: () => undefined,
});
const shownMs = 6000;
let count = 0;

export function Toasts({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((each) => each.id !== id)), []);
  const [tell] = useState<Tell>(() => {
    const add = (toast: Omit<Toast, 'id'>): void => {
      const id = (count += 1);
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
      // What went wrong stays until it was read.
      if (toast.tone === 'green') setTimeout(() => remove(id), shownMs);
    };
    return {
      done: (title, details) => add({ tone: 'green', title, ...details }),
      warn: (title, details) => add({ tone: 'amber', title, ...details }),
      problem: (error) => {
        const { title, message } = told(error);
        add({ tone: 'red', title, detail: message });
      },
    };
  });
  return (
    <ToastContext value={tell}>
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

export function useTell(): Tell {
  return use(ToastContext);
}
