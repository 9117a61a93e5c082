import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { parseConfiguration } from '../../config/file/load-configuration.ts';
import { openBoxForDiagnosis } from '../box/open-box.ts';

/** A server that asks for roots as soon as it is connected, and writes the response to standard error. */
const rootsClient = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: {
    protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'roots', version: '1' } } });
  else if (method === 'notifications/initialized') send({ id: 'roots', method: 'roots/list' });
  else if (method === 'tools/list') send({ id, result: { tools: [] } });
  else if (id === 'roots') console.error(JSON.stringify(result));
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no such method' } });
});`;

test('a server that asks for roots when it connects gets those of its entry, else its workspace, else none', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-roots-'));
  t.after(() => rmSync(data, { recursive: true }));
  const program = { command: process.execPath, args: ['-e', rootsClient] };
  const mcpServers = {
    named: { ...program, roots: ['project', '/srv/shared'], workspace: ['.'] },
    workspace: { ...program, workspace: ['.'] },
    bare: program,
    empty: { ...program, roots: [], workspace: ['.'] },
  };
  const configuration = parseConfiguration(JSON.stringify({ mcpServers }), join(data, 'c.json'));
  const { box } = await openBoxForDiagnosis(configuration, { secretsFrom: data });
  t.after(() => box.close());
  const rootsOf = async (server: string): Promise<unknown> => {
    const last = (): string | undefined => box.servers.health(server)?.stderr?.at(-1);
    await until(() => last() !== undefined, `${server} gets a response`);
    const { roots } = JSON.parse(last() ?? '') as { roots: { uri: string }[] };
    return roots.map(({ uri }) => uri);
  };
  const base = pathToFileURL(data).href;
  assert.deepEqual(await rootsOf('named'), [`${base}/project`, pathToFileURL('/srv/shared').href]);
  assert.deepEqual(await rootsOf('workspace'), [base]);
  assert.deepEqual(await rootsOf('bare'), []);
  assert.deepEqual(await rootsOf('empty'), []);
});
