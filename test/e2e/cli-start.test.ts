import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { sendModern } from '../mcp-clients/raw.ts';
import { Place, said } from './cli-place.ts';

/** Writes down which files a process loads, in the order in which it does. */
const recorder = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED, url + '\\n');
    return nextLoad(url, context);
  },
});
`;

/** What of other packages a client of MCP waits for. One more is one that every start waits for: see docs/decisions/start.md. */
const awaited: ReadonlySet<string> = new Set([
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  'canonicalize',
  'commander',
  'croner',
  'eventsource',
  'eventsource-parser',
  'hono',
  'jsonc-parser',
  'picocolors',
  'pkce-challenge',
  'zod',
]);

suite('the start of serve', () => {
  test('the first list of tools waits for no package and no route that it does not need', async () => {
    const { type: _, ...fixture } = fixtureProgram();
    const place = new Place({ 'signalbox.config.json': JSON.stringify({ mcpServers: { outside: fixture } }) });
    const loaded = join(place.directory, 'loaded');
    const read = (): string[] => readFileSync(loaded, 'utf8').trim().split('\n');
    const token = 'a-token-of-this-test-alone';
    const child = place.start(['serve', '--port', '0', '--json'], {
      LOADED: loaded,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(recorder)}`,
      SIGNALBOX_TOKEN: token,
    });
    const { url } = JSON.parse(await said(child.stdout, /\n/)) as { url: string };

    const headers = { Authorization: `Bearer ${token}` };
    let names: string[] = [];
    while (!names.some((name) => name.startsWith('mcp__outside__'))) {
      const answer = await sendModern(new URL('/mcp', url), 'tools/list', {}, { headers });
      const { result } = (await answer.json()) as { result: { tools: { name: string }[] } };
      names = result.tools.map(({ name }) => name);
    }
    const before = read();
    const unneeded = packagesOf(before).filter((name) => !awaited.has(name));
    assert.deepEqual(unneeded, []);
    assert.deepEqual(
      before.filter((file) => /\/server\/(?:routes|schemas|pages)\//.test(file)),
      [],
    );

    assert.equal((await fetch(new URL('/api/health', url))).status, 200);
    const later = packagesOf(read().slice(before.length));
    assert.ok(
      later.includes('@hono/zod-openapi') && later.includes('prom-client'),
      'the routes come when they are asked for',
    );
  });
});

function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)];
}
