import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runSeed } from '../../../test/support/seeded.ts';
import { createRedactor } from '../../redaction/redactor.ts';
import { StreamRedactor } from './stream-redactor.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 4, maxLength: 9 });

describe('StreamRedactor', () => {
  test('removes secrets however the text is split, and emits text without secrets unchanged', () => {
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', 'x'), maxLength: 8 }), { maxLength: 8 }),
        fc.array(fc.nat(2)),
        (secrets, plain, places) => {
          const redactor = createRedactor();
          for (const secret of secrets) redactor.add('S', secret);
          const stream = new StreamRedactor({
            secrets: { redact: (text) => redactor.values(text) },
            secretTail: (text) => redactor.partialMatchLength(text),
          });
          const chunks = [...plain];
          for (const place of places) chunks.splice(place, 0, ...split(secrets[place % secrets.length] ?? '', place));
          const emitted = [...chunks.flatMap((text) => stream.push({ type: 'text_delta', text })), ...stream.flush()]
            .map((event) => (event.type === 'text_delta' ? event.text : ''))
            .join('');
          for (const secret of secrets) assert.ok(!emitted.includes(secret), `${emitted} contains ${secret}`);
          const whole = chunks.join('');
          if (!secrets.some((secret) => whole.includes(secret))) assert.equal(emitted, whole);
        },
      ),
      { seed: runSeed, numRuns: 2000 },
    );
  });
});

function split(text: string, at: number): string[] {
  return [text.slice(0, at + 1), text.slice(at + 1)];
}
