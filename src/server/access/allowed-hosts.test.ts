import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { adminToken, sendRawRequest, startTestServer } from '../../../test/support/http/http-server.ts';
import { allowedHosts, reachableHost } from './allowed-hosts.ts';

const authorization = `Bearer ${adminToken}`;

describe('checkHostAndOrigin', () => {
  it('refuses every route for a host that is not a name of this server', async (test) => {
    const { server } = await startTestServer(test);
    const foreign = [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1',
      `127.0.0.1:${server.port + 1}`,
      `127.0.0.1.evil.example:${server.port}`,
    ];
    for (const host of foreign) {
      for (const path of ['/', '/api/health', '/api/tools', '/nowhere']) {
        const answer = await sendRawRequest(server, path, { headers: { host, authorization } });
        assert.equal(answer.status, 421, `${host} ${path}`);
        assert.match(answer.body, /host-refused/);
      }
    }
  });

  it('does not consume a sign-in code of a request for another host', async (test) => {
    const { server } = await startTestServer(test);
    const { pathname, search } = new URL(await server.signInUrl());
    assert.equal((await sendRawRequest(server, pathname + search, { headers: { host: 'evil.example' } })).status, 421);
    const answer = await sendRawRequest(server, pathname + search, { headers: { host: `localhost:${server.port}` } });
    assert.equal(answer.status, 200, 'the code is still valid');
  });

  it('accepts each name of this server', async (test) => {
    const { server } = await startTestServer(test);
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      const answer = await sendRawRequest(server, '/api/info', {
        headers: { host: `${name}:${server.port}`, authorization },
      });
      assert.equal(answer.status, 200, name);
    }
  });

  it('accepts configured host names, for a proxy', async (test) => {
    const { server } = await startTestServer(test, { allowedHosts: ['Signalbox.example'] });
    const headers = { host: 'signalbox.example', origin: 'https://signalbox.example', authorization };
    assert.equal((await sendRawRequest(server, '/api/info', { headers })).status, 200);
  });

  it('refuses a request line with another host, two Host headers, and a missing one', async (test) => {
    const { server } = await startTestServer(test);
    const own = `Host: 127.0.0.1:${server.port}`;
    const forged = [
      `GET http://evil.example/api/health HTTP/1.1\r\n${own}\r\n`,
      `GET /api/health HTTP/1.1\r\n${own}\r\nHost: evil.example\r\n`,
      `GET /api/health HTTP/1.1\r\n`,
    ];
    for (const head of forged) {
      const answer = await sendRaw(server.port, `${head}Connection: close\r\n\r\n`);
      assert.match(answer, /^HTTP\/1.1 4\d\d /, head);
      assert.doesNotMatch(answer, /"status":"ok"/);
    }
  });

  it('refuses a foreign Origin on every route, also those without authentication', async (test) => {
    const { server } = await startTestServer(test);
    for (const origin of [
      'http://evil.example',
      'null',
      `http://localhost:${server.port}`,
      `http://127.0.0.1:${server.port}.evil.example`,
    ]) {
      for (const path of ['/api/health', '/api/tools', '/']) {
        const answer = await fetch(server.url + path, { headers: { origin, authorization } });
        assert.equal(answer.status, 403, `${origin} ${path}`);
      }
    }
    assert.equal(
      (await fetch(`${server.url}/api/tools`, { headers: { origin: server.url, authorization } })).status,
      200,
    );
  });
});

describe('allowedHosts', () => {
  it('contains loopback and the configured host, with the port', () => {
    assert.deepEqual(
      [...allowedHosts('192.168.1.5', 4242)],
      ['127.0.0.1:4242', 'localhost:4242', '[::1]:4242', '192.168.1.5:4242'],
    );
  });

  it('omits the default port', () => {
    assert.ok(allowedHosts('127.0.0.1', 80).has('localhost'));
  });

  it('contains the addresses of the machine instead of a wildcard', () => {
    const hosts = allowedHosts('0.0.0.0', 4242);
    assert.ok(!hosts.has('0.0.0.0:4242'));
    assert.ok(hosts.has('127.0.0.1:4242'));
    assert.equal(reachableHost('0.0.0.0'), '127.0.0.1');
    assert.equal(reachableHost('::1'), '[::1]');
  });
});

async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  return text(socket);
}
