import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { subscribeToChanges } from './change-subscription.ts';

/** Returns a client whose server refuses subscriptions, and the number of requests that it received. */
function refusingClient() {
  const requests = { count: 0 };
  const client = {
    listen: () => {
      requests.count += 1;
      return Promise.reject(new Error('no subscriptions here'));
    },
  } as unknown as Client;
  return { client: () => Promise.resolve(client), requests };
}

describe('subscribeToChanges', () => {
  test('reports that the server refused, and requests again until it is stopped', async () => {
    const { client, requests } = refusingClient();
    const { ready, stop } = subscribeToChanges(client, { toolsListChanged: true }, () => false);
    await assert.rejects(ready, /no subscriptions here/);
    await until(() => requests.count === 2, 'the second request');
    await stop();
    // Longer than the next pause; on a slow machine this shows less, but never fails.
    await wait(2500);
    assert.equal(requests.count, 2);
  });
});
