import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ResultPage } from '../../../journal/store/store.ts';
import type { Principal } from '../../../core/principal.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { type ReadResultDependencies, readResult } from './read-result.ts';

const kept = { owner: 'ada', text: 'abcdefghijklmnopqrstuvwxyz', mimeType: 'text/plain' };
const ada: Principal = { id: 'ada', kind: 'agent' };

/** A host that stores one result and records the requests for it. */
function house(longestPage = 100): ReadResultDependencies & { asked: [string, number, number][] } {
  const asked: [string, number, number][] = [];
  return {
    asked,
    longestPage,
    async readResult(id, offset, limit): Promise<ResultPage | undefined> {
      asked.push([id, offset, limit]);
      if (id !== 'call_1') return undefined;
      const end = offset + limit;
      const { text, ...facts } = kept;
      return {
        ...facts,
        text: text.slice(offset, end),
        offset,
        total: text.length,
        ...(end < text.length ? { next: end } : {}),
      };
    },
  };
}

describe('read_result', () => {
  test('reads a page of the caller’s own result, and says where it goes on', async () => {
    const page = await readResult(house(), { uri: 'signalbox://results/call_1', offset: 3, limit: 4 }, ada);
    assert.deepEqual(page, {
      uri: 'signalbox://results/call_1',
      text: 'defg',
      mimeType: 'text/plain',
      offset: 3,
      total: 26,
      next: 7,
    });
  });

  test('leads through the whole without a gap', async () => {
    const dependencies = house();
    let [text, offset]: [string, number | undefined] = ['', 0];
    while (offset !== undefined) {
      const page: Awaited<ReturnType<typeof readResult>> = await readResult(
        dependencies,
        { uri: 'signalbox://results/call_1', offset, limit: 7 },
        ada,
      );
      text += page.text;
      offset = page.next;
    }
    assert.equal(text, kept.text);
  });

  test('takes a bare call id too', async () => {
    assert.equal((await readResult(house(), { uri: 'call_1', offset: 0, limit: 3 }, ada)).text, 'abc');
  });

  test('never reads more than a page that is handed out whole', async () => {
    const dependencies = house(5);
    assert.equal((await readResult(dependencies, { uri: 'call_1', offset: 0, limit: 1_000_000 }, ada)).text, 'abcde');
    assert.deepEqual(dependencies.asked, [['call_1', 0, 5]]);
  });

  test('does not tell whose result it is', async () => {
    assert.ok(!('owner' in (await readResult(house(), { uri: 'call_1', offset: 0, limit: 1 }, ada))));
  });

  test('refuses another’s result in the same words as one that is not there', async () => {
    const read = async (uri: string, principal: Principal): Promise<string> => {
      const refusal: unknown = await readResult(house(), { uri, offset: 0, limit: 9 }, principal).catch(
        (error: unknown) => error,
      );
      assert.ok(refusal instanceof SignalboxError, `${principal.id} can read ${uri}`);
      assert.equal(refusal.code, 'result-unknown');
      return refusal.message.replace(uri, 'URI');
    };
    const words = await read('signalbox://results/call_2', ada);
    assert.equal(await read('signalbox://results/call_1', { id: 'bob', kind: 'agent' }), words);
    assert.equal(await read('signalbox://results/call_1', { id: '', kind: 'human' }), words);
    assert.equal(await read('https://example.com/call_1', ada), words);
  });
});
