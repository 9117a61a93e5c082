import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Turns } from './turns.ts';

const program = `
  const { workerData, parentPort } = require('node:worker_threads');
  import(workerData.url).then(({ Turns }) => {
    const turns = new Turns(workerData.shared);
    const inside = new Int32Array(workerData.inside);
    parentPort.postMessage('ready');
    let met = 0;
    for (let round = 0; round < 20000; round += 1)
      turns.after(() => {
        Atomics.store(inside, 0, 1);
        if (Atomics.load(inside, 1) === 1) met += 1;
        Atomics.store(inside, 0, 0);
      });
    parentPort.postMessage(met);
  });`;

test('two threads never have their turn at once, and neither waits for ever', async () => {
  const turns = new Turns();
  const shared = new SharedArrayBuffer(8);
  const inside = new Int32Array(shared);
  const workerData = { url: new URL('./turns.ts', import.meta.url).href, shared: turns.shared, inside: shared };
  const worker = new Worker(program, { eval: true, workerData });
  await once(worker, 'message');
  const ended = once(worker, 'message') as Promise<[number]>;
  let met = 0;
  for (let round = 0; round < 20_000; round += 1)
    turns.first(() => {
      Atomics.store(inside, 1, 1);
      if (Atomics.load(inside, 0) === 1) met += 1;
      Atomics.store(inside, 1, 0);
    });
  const [metThere] = await ended;
  assert.deepEqual([met, metThere], [0, 0]);
});

test('what throws ends its turn', () => {
  const turns = new Turns();
  for (const turn of ['first', 'after'] as const)
    assert.throws(() => turns[turn](() => assert.fail('no')), { message: 'no' });
  assert.equal(turns.isWanted, false);
  assert.equal(
    turns.after(() => 'done'),
    'done',
  );
});
