import { useEffect, useState } from 'react';

/** How long a question is shown before it takes an answer: as long as browsers hold back their own security dialogs. */
const settleMs = 1000;

/** Whether a question was shown long enough to be answered. */
export interface Settled {
  readonly isSettled: boolean;
  /** A key was pressed too early. */
  readonly isHasty: boolean;
  /** Does something if the question was shown long enough. If not, it has to be shown as long again. */
  answer(run: () => void): void;
}

/**
 * Holds answers back for a moment after a question appears or gets the keys, so that a key or a click that was meant for the one
 * before does not answer it.
 */
export function useSettled(hasKeys: boolean): Settled {
  const [hasty, setHasty] = useState(0);
  // Compared, not reset: there is no moment at which a changed question still counts as settled.
  const shown = `${hasKeys} ${hasty}`;
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), settleMs);
    return () => clearTimeout(timer);
  }, [shown]);
  const isSettled = settled === shown;
  return {
    isSettled,
    isHasty: hasty > 0 && !isSettled,
    answer: (run) => (isSettled ? run() : setHasty(hasty + 1)),
  };
}
