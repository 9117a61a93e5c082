import { after } from 'node:test';

const open: (() => Promise<void>)[] = [];

/** Registers a cleanup that runs after the tests of the file, in reverse order. */
export function closeAfterTests(close: () => Promise<void>): void {
  open.push(close);
}

after(async () => {
  for (const close of open.toReversed()) await close();
});
