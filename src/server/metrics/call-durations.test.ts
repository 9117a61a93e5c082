import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { CallDurations } from './call-durations.ts';

test('CallDurations exports the same lines as a histogram of prom-client', async () => {
  const observation = fc.record({
    server: fc.constantFrom('files', 'a"b\n', 'none'),
    outcome: fc.constantFrom('completed', 'failed'),
    seconds: fc.oneof(fc.constantFrom(0, 0.001, 0.005, 1, 300, 300.001), fc.double({ min: 0, max: 400, noNaN: true })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const [own, other] = [new Registry(), new Registry()];
      const durations = new CallDurations();
      own.registerMetric(durations.metric);
      const histogram = new Histogram({
        name: 'signalbox_call_duration_seconds',
        help: 'How long tool calls took, approval included.',
        labelNames: ['server', 'outcome'],
        buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
        registers: [other],
      });
      for (const { server, outcome, seconds } of observations) {
        durations.observe(server, outcome, seconds);
        histogram.observe({ server, outcome }, seconds);
      }
      assert.deepEqual(linesOf(await own.metrics()), linesOf(await other.metrics()));
    }),
    { seed: 20_261_116, numRuns: 200 },
  );
});

/** Sorts the lines, because the two implementations list series in different orders. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').toSorted();
}
