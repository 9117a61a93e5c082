import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';

/** How long a question is shown before it takes an answer: as long as browsers hold back their own security dialogs. */
const settleMs = 1000;
/** A click counts only where its button was this long before. */
const stillMs = 500;
const measureMs = 100;

/** Whether a question was shown long enough to be answered. */
export interface Settled {
  readonly isSettled: boolean;
  /** Why the last answer did not count. */
  readonly hint: string;
  /** The properties of the element that contains the buttons. */
  readonly buttons: { readonly ref: RefObject<HTMLDivElement | null>; readonly onPointerDownCapture: () => void };
  /** Does something if the question was shown long enough. If not, it has to be shown as long again. */
  answer(run: () => void): void;
  /** Does the same for a click, if the button was in its place before, and meant the same when it was pressed. */
  click(event: MouseEvent, run: () => void): void;
}

/**
 * Holds answers back for a moment after a question appears or changes its meaning (`meaning`), or the window gets the focus: a key or
 * a click that was meant for something else does not answer it.
 */
export function useSettled(meaning: string): Settled {
  const [hasty, setHasty] = useState<{ readonly count: number; readonly hint: string }>({ count: 0, hint: '' });
  const returns = useWindowReturns();
  const [latest, setLatest] = useState({ meaning, count: 0 });
  // Counted: a meaning that changes and changes back is a new one.
  if (latest.meaning !== meaning) setLatest({ meaning, count: latest.count + 1 });
  // Compared, not reset: there is no moment at which a changed question still counts as settled.
  const shown = `${latest.count} ${meaning} ${hasty.count} ${returns}`;
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), settleMs);
    return () => clearTimeout(timer);
  }, [shown]);
  const isSettled = settled === shown;
  const refuse = (hint: string): void => setHasty({ count: hasty.count + 1, hint });
  const answer = (run: () => void): void =>
    isSettled
      ? run()
      : refuse('That was too early: this question has only just appeared. Keys work again in a second.');
  const ref = useRef<HTMLDivElement>(null);
  const isStill = useStill(ref);
  const pressed = useRef('');
  return {
    isSettled,
    hint: isSettled ? '' : hasty.hint,
    buttons: { ref, onPointerDownCapture: () => void (pressed.current = shown) },
    answer,
    click: ({ detail }, run) => {
      // A key that presses a button has neither a place nor a second half.
      if (detail === 0) answer(run);
      else if (!isStill()) refuse('That did not count: the buttons had just moved. Click again in a second.');
      else if (pressed.current !== shown)
        refuse('That did not count: the question changed while the button was pressed. Click again in a second.');
      else answer(run);
    },
  };
}

/** Counts how often the window got the focus: the first key and the first click may have been meant for another one. */
function useWindowReturns(): number {
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    const count = (): void => setReturns((before) => before + 1);
    window.addEventListener('focus', count);
    return () => window.removeEventListener('focus', count);
  }, []);
  return returns;
}

/** Returns a function that says whether an element has not moved for a moment. */
function useStill(element: RefObject<HTMLElement | null>): () => boolean {
  const last = useRef({ place: '', movedAt: 0 });
  const measure = (): void => {
    const place = placeOf(element.current);
    if (place !== last.current.place) last.current = { place, movedAt: performance.now() };
  };
  useEffect(() => {
    measure();
    const timer = setInterval(measure, measureMs);
    return () => clearInterval(timer);
  });
  return () => {
    measure();
    return performance.now() - last.current.movedAt >= stillMs;
  };
}

/** Returns the place of an element in its page, which scrolling does not change. */
function placeOf(element: HTMLElement | null): string {
  let { x = 0, y = 0 } = element?.getBoundingClientRect() ?? {};
  for (let each = element?.parentElement; each !== null && each !== undefined; each = each.parentElement) {
    x += each.scrollLeft;
    y += each.scrollTop;
  }
  return `${Math.round(x)} ${Math.round(y)}`;
}
