import { after } from 'node:test';

const open: (() => Promise<void>)[] = [];

/** Closed with the file of tests: last opened, first closed. */
export function closeLater(close: () => Promise<void>): void {
  open.push(close);
}

after(async () => {
  for (const close of open.toReversed()) await close();
});
