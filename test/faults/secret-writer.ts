/** Sets secrets until it is killed, and prints each stored one. Started by `secret-writers.test.ts`. */
import { writeSync } from 'node:fs';
import { keyRing } from '../../src/config/secrets/key-ring.ts';
import { secretVault } from '../../src/config/secrets/sealed-files.ts';

const [, , data = '', writer = ''] = process.argv;
const vault = secretVault({ data, keys: keyRing(data, { SIGNALBOX_SECRETS: 'file' }) });
for (let round = 0; ; round += 1) {
  const name = `W${writer}_${round % 20}`;
  await vault.set(name, `${name} ${round}`);
  writeSync(1, `${name} ${round}\n`);
}
