import type { ReactNode } from 'react';

const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const dayAndTime = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A moment by the clock; with its day unless that is today. */
export function Moment({ at }: { readonly at: string }): ReactNode {
  return <time dateTime={at}>{momentText(at)}</time>;
}

/** `14:03:22`, `Nov 14, 14:03:22`. */
export function momentText(at: string | number): string {
  const date = new Date(at);
  return (date.toDateString() === new Date().toDateString() ? time : dayAndTime).format(date);
}
