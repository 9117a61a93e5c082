import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { subjectSignals } from './signals.ts';

for (const { pattern, stems } of subjectSignals)
  test(`every match of ${pattern.source.slice(0, 40)}… contains a stem`, () => {
    // Without assertions, which strings are not generated for; without them the expression matches more.
    const expression = new RegExp(pattern.source.replaceAll(String.raw`\b`, ''));
    const isStemmed = (text: string): boolean => stems.split('|').some((stem) => text.toLowerCase().includes(stem));
    fc.assert(
      fc.property(fc.stringMatching(expression), (text) =>
        assert.ok(isStemmed(expression.exec(text)?.[0] ?? ''), text),
      ),
      { numRuns: 500 },
    );
  });
