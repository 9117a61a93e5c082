import { type ReactNode, createContext, use, useCallback, useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { told } from '../parts/problem-note.tsx';

interface Toast {
  readonly id: number;
  readonly tone: 'green' | 'red';
  readonly title: string;
  readonly detail?: string;
}

/** Tells the reader what came of something. */
export interface Tell {
  done(title: string): void;
  problem(error: unknown): void;
}

const ToastContext = createContext<Tell>({ done: () => undefined, problem: () => undefined });
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
      done: (title) => add({ tone: 'green', title }),
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
        {toasts.map(({ id, tone, title, detail }) => (
          <div key={id} className={`toast note ${tone}`}>
            <Icon name={tone === 'green' ? 'check' : 'warning'} />
            <div className="note-text">
              <strong>{title}</strong>
              {detail === undefined ? undefined : <p>{detail}</p>}
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
