import assert from 'node:assert/strict';
import { Agent, get as request } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { ToolInvoked } from '../../../journal/entries/journal-event.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

const waitPath = '/api/tools/mcp__test__wait/call';

describe('access token', () => {
  it('is refused with 401 and a challenge when it is wrong, expired or revoked; an unknown id gets the response of a wrong secret', async (test) => {
    const { send, token, box } = await startTestServer(test);
    const valid = await token('agent');
    const revoked = await token('agent');
    await box.tokens.revoke(revoked.id, { by: { id: 'alice', kind: 'human' } });
    const expired = await token('agent', 1000);
    await delay(1010);
    const answers = [];
    for (const presented of [
      `sbx_${'0'.repeat(19)}_${'a'.repeat(43)}`,
      `${valid.token.slice(0, -4)}AAAA`,
      valid.token.slice(0, -1),
      revoked.token,
      expired.token,
    ]) {
      const response = await send(presented, 'GET', '/api/info');
      const { code, detail } = await bodyOf<ProblemDocument>(response);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="signalbox", error="invalid_token"');
      assert.doesNotMatch(detail, /sbx_/);
      answers.push([response.status, code, detail]);
    }
    const wrong = [401, 'token-wrong', 'the Authorization header does not contain a token of this server'];
    assert.deepEqual(answers.slice(0, 3), [wrong, wrong, wrong]);
    assert.deepEqual(
      answers.slice(3).map(([, code]) => code),
      ['token-wrong', 'token-expired'],
    );
    assert.match(String(answers[3]?.[2]), /was revoked/);
    assert.equal((await send(valid.token, 'GET', '/api/info')).status, 200);
  });

  it('ends with its revocation: its open requests are closed and later ones are refused', async (test) => {
    const { send, token, box } = await startTestServer(test);
    const [agent, other] = [await token('agent'), await token('agent')];
    const ended = new Promise<ToolInvoked>((resolve) => box.on('ToolInvoked', resolve));
    const closed = assert.rejects(send(agent.token, 'POST', waitPath, { arguments: { ms: 60_000 } }));
    const unaffected = send(other.token, 'POST', waitPath, { arguments: { ms: 3500 } });
    while ((await box.journal.calls()).items.length < 2) await delay(10);
    await box.tokens.revoke(agent.id, { by: { id: 'alice', kind: 'human' } });
    assert.equal((await send(agent.token, 'GET', '/api/info')).status, 401);
    await closed;
    const { outcome, principal } = await ended;
    assert.deepEqual([outcome, principal.id], ['cancelled', `token:${agent.id}`]);
    assert.equal((await bodyOf(unaffected)).outcome, 'completed', 'requests of other tokens continue');
  });

  it('is checked again after another token on the same connection and after a revocation', async (test) => {
    const { server, token, box } = await startTestServer(test);
    const [agent, other] = [await token('agent'), await token('agent')];
    const connections = new Agent({ keepAlive: true, maxSockets: 1 });
    test.after(() => connections.destroy());
    const ports = new Set<number | undefined>();
    const status = (presented: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${presented}` };
        request(`${server.url}/api/tools`, { agent: connections, headers }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().once('end', () => resolve(response.statusCode));
        }).once('error', reject);
      });
    const seen = [
      await status(agent.token),
      await status(`${agent.token.slice(0, -4)}AAAA`),
      await status(other.token),
    ];
    assert.deepEqual(seen, [200, 401, 200]);
    assert.equal(await status(agent.token), 200);
    await box.tokens.revoke(agent.id, { by: { id: 'alice', kind: 'human' } });
    assert.deepEqual([await status(agent.token), await status(other.token)], [401, 200]);
    assert.equal(ports.size, 1, 'all requests used one connection');
  });

  it('cannot be guessed: after twenty wrong tokens, more are refused with 429, and valid ones are not', async (test) => {
    const { send, token, get, server, signIn } = await startTestServer(test);
    const [known, unseen] = [await token('agent'), await token('agent')];
    const browser = await signIn();
    await send(known.token, 'GET', '/api/info');
    await get('/api/info');
    for (let time = 0; time < 20; time++) assert.equal((await send(`wrong-${time}`, 'GET', '/api/info')).status, 401);
    const response = await send('wrong', 'GET', '/api/info');
    assert.deepEqual([response.status, (await bodyOf<ProblemDocument>(response)).code], [429, 'attempts-exceeded']);
    const seconds = Number(response.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 60);
    for (const presented of [known.token, unseen.token, adminToken])
      assert.equal((await send(presented, 'GET', '/api/info')).status, 200);
    assert.equal((await fetch(`${server.url}/api/info`, { headers: { ...browser } })).status, 200);
    assert.equal((await fetch(`${server.url}/api/health`)).status, 200);
  });
});
