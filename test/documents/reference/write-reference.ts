/** `npm run reference` writes the generated reference pages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../support/command.ts';
import { referencePages } from './reference-pages.ts';

for (const [name, text] of await referencePages()) {
  const file = join(root, 'docs', 'reference', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
