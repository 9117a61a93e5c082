import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';

/** The time before a prompt accepts an answer, like the delay of browsers' own security dialogs. */
const settleMs = 1000;
/** The time for which a button must not have moved before a click counts. */
const stillMs = 500;
const measureMs = 100;

/** Protects a prompt from answers that were meant for something else. */
export interface AnswerGuard {
  readonly isReady: boolean;
  /** The reason why the last answer was ignored. */
  readonly hint: string;
  /** The props of the element that contains the buttons. */
  readonly buttons: { readonly ref: RefObject<HTMLDivElement | null>; readonly onPointerDownCapture: () => void };
  /** Runs an action if the prompt was visible long enough. If not, the delay restarts. */
  answer(run: () => void): void;
  /** Runs an action for a click, if the button has not moved and its meaning has not changed since it was pressed. */
  click(event: MouseEvent, run: () => void): void;
}

/**
 * Holds answers back for a moment after a prompt appears, its `meaning` changes or the window regains the focus, so that a key or a
 * click that was meant for something else does not answer it.
 */
export function useAnswerGuard(meaning: string): AnswerGuard {
  const [hasty, setHasty] = useState<{ readonly count: number; readonly hint: string }>({ count: 0, hint: '' });
  const returns = useWindowReturns();
  const [latest, setLatest] = useState({ meaning, count: 0 });
  // Count changes: a meaning that changes and changes back is new.
  if (latest.meaning !== meaning) setLatest({ meaning, count: latest.count + 1 });
  // Compare instead of resetting in an effect, so that a changed prompt never counts as ready for one render.
  const shown = `${latest.count} ${meaning} ${hasty.count} ${returns}`;
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(shown), settleMs);
    return () => clearTimeout(timer);
  }, [shown]);
  const isSettled = settled === shown;
  const refuse = (hint: string): void => setHasty({ count: hasty.count + 1, hint });
  const answer = (run: () => void): void =>
    isSettled ? run() : refuse('Ignored: this request has only just appeared. Try again in a second.');
  const ref = useRef<HTMLDivElement>(null);
  const isStill = useStill(ref);
  const pressed = useRef('');
  return {
    isReady: isSettled,
    hint: isSettled ? '' : hasty.hint,
    buttons: { ref, onPointerDownCapture: () => void (pressed.current = shown) },
    answer,
    click: ({ detail }, run) => {
      // A click from the keyboard has no position and no pointer press.
      if (detail === 0) answer(run);
      else if (!isStill()) refuse('Ignored: the buttons had just moved. Click again in a second.');
      else if (pressed.current !== shown)
        refuse('Ignored: the request changed while the button was pressed. Click again in a second.');
      else answer(run);
    },
  };
}

/** Counts how often the window gained the focus: its first key or click may have been meant for another window. */
function useWindowReturns(): number {
  const [returns, setReturns] = useState(0);
  useEffect(() => {
    const count = (): void => setReturns((before) => before + 1);
    window.addEventListener('focus', count);
    return () => window.removeEventListener('focus', count);
  }, []);
  return returns;
}

/** Returns a function that checks whether an element has been still for a moment. */
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

/** Returns the position of an element in its page, independent of scrolling. */
function placeOf(element: HTMLElement | null): string {
  let { x = 0, y = 0 } = element?.getBoundingClientRect() ?? {};
  for (let each = element?.parentElement; each !== null && each !== undefined; each = each.parentElement) {
    x += each.scrollLeft;
    y += each.scrollTop;
  }
  return `${Math.round(x)} ${Math.round(y)}`;
}
