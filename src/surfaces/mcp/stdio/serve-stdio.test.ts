import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { type TestContext, describe, test } from 'node:test';
import type { Message } from '../../../../test/mcp-clients/raw.ts';
import { createSignalbox } from '../../../index.ts';
import { McpEndpoint } from '../mcp-endpoint.ts';
import { serveStdio } from './serve-stdio.ts';

/** Serves a client on a pipe. Returns the function that writes a line and reads the next one. */
async function connectClient(t: TestContext): Promise<(line: string) => Promise<Message | Message[]>> {
  const box = await createSignalbox();
  const endpoint = new McpEndpoint({ box });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio({
    endpoint,
    peer: { principal: { id: 'pipe', kind: 'agent' }, view: endpoint.view(undefined) },
    input,
    output,
    signal: new AbortController().signal,
    graceMs: 100,
    log: assert.fail,
  });
  t.after(async () => {
    input.end();
    await served;
    endpoint.close();
    await box.close();
  });
  const lines = createInterface({ input: output });
  return async (line) => {
    const answer = once(lines, 'line') as Promise<[string]>;
    input.write(`${line}\n`);
    return JSON.parse((await answer)[0]) as Message | Message[];
  };
}

function request(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

describe('serveStdio', () => {
  test('refuses invalid lines with the same codes as over HTTP, and serves the next request', async (t) => {
    const exchange = await connectClient(t);
    for (const [line, code] of [
      ['{', -32_700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', -32_700],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":1,"\\u0061":2}}}', -32_700],
      ['['.repeat(300), -32_600],
      ['7', -32_600],
      ['[]', -32_600],
      [`[${request(1, 'ping')}]`, -32_600],
    ] as const) {
      const answer = (await exchange(line)) as Message;
      assert.deepEqual([answer.id, answer.error?.code], [null, code], line.slice(0, 80));
    }
    assert.deepEqual(await exchange(request(1, 'ping')), { jsonrpc: '2.0', id: 1, result: {} });
  });

  test('accepts a batch in revision 2025-03-26', async (t) => {
    const exchange = await connectClient(t);
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    await exchange(request(0, 'initialize', params));
    const call = request(2, 'tools/call', { name: 'mcp__signalbox__ping', arguments: {} });
    const answers = (await exchange(`[${request(1, 'ping')},${call}]`)) as Message[];
    assert.deepEqual(
      answers.map(({ id }) => id),
      [1, 2],
    );
    assert.match(JSON.stringify(answers[1]), /pong/);
  });
});
