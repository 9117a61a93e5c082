import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runSeed } from '../../../test/support/seeded.ts';
import { createRedactor } from '../../redaction/redactor.ts';
import { StreamRedactor } from './stream-redactor.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 4, maxLength: 9 });

describe('text that comes in pieces', () => {
  test('is told without secrets however it is cut, and whole where it holds none', () => {
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', 'x'), maxLength: 8 }), { maxLength: 8 }),
        fc.array(fc.nat(2)),
        (secrets, plain, places) => {
          const redactor = createRedactor();
          for (const secret of secrets) redactor.add('S', secret);
          const pieces = new StreamRedactor({
            secrets: { redact: (text) => redactor.values(text) },
            secretTail: (text) => redactor.partialMatchLength(text),
          });
          const said = [...plain];
          for (const place of places) said.splice(place, 0, ...cut(secrets[place % secrets.length] ?? '', place));
          const told = [...said.flatMap((text) => pieces.push({ type: 'text_delta', text })), ...pieces.flush()]
            .map((event) => (event.type === 'text_delta' ? event.text : ''))
            .join('');
          for (const secret of secrets) assert.ok(!told.includes(secret), `${told} holds ${secret}`);
          const whole = said.join('');
          if (!secrets.some((secret) => whole.includes(secret))) assert.equal(told, whole);
        },
      ),
      { seed: runSeed, numRuns: 2000 },
    );
  });
});

function cut(text: string, at: number): string[] {
  return [text.slice(0, at + 1), text.slice(at + 1)];
}
