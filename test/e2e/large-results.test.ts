import assert from 'node:assert/strict';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { aiSdkTools } from '../../src/surfaces/ai-sdk/index.ts';
import { type Signalbox, mcpServer } from '../../src/index.ts';
import { firstClient, secondClient } from '../mcp-clients/clients.ts';
import { claudeTurn, inspect, temporary } from '../mcp-clients/programs.ts';
import { serving, token } from '../mcp-clients/serving.ts';
import { imagesIn } from '../support/model/messages-server.ts';
import { referenceServer } from '../mcp-servers/programs.ts';
import { noisePng } from '../support/png.ts';

interface Files {
  readonly box: Signalbox;
  readonly url: URL;
  /** An image of 480 KB, as base64. */
  readonly picture: string;
  path(name: string): string;
}

/** Serves server-filesystem behind Signalbox, with texts of 20, 100 and 400 KB and an image. */
async function serveFiles(t: TestContext): Promise<Files> {
  const directory = realpathSync(temporary(t));
  const path = (name: string): string => join(directory, name);
  for (const size of [20, 100, 400]) writeFileSync(path(`${size}.txt`), textOf(size));
  const png = noisePng(400, 400);
  writeFileSync(path('picture.png'), png);
  const server = mcpServer({ name: 'files', transport: referenceServer('filesystem', [directory]) });
  await server.ready();
  const { box, url } = await serving(t, { servers: [server], approve: () => ({ allow: true }) });
  return { box, url, picture: png.toString('base64'), path };
}

function textOf(kilobytes: number): string {
  return `${'x'.repeat(1022)}é`.replace(/é$/, '\n').repeat(kilobytes).concat('the end');
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly structuredContent?: { readonly content?: unknown };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

suite('results of server-filesystem, whose tools have output schemas', { timeout: 300_000 }, () => {
  for (const kind of ['v1', 'v2 legacy', 'v2 modern'] as const) {
    test(`reach a client that validates them: complete up to 256 KB, then shortened and still valid (${kind})`, async (t) => {
      const { url, path, picture } = await serveFiles(t);
      const client =
        kind === 'v1'
          ? await firstClient(t, url)
          : await secondClient(t, url, kind === 'v2 legacy' ? 'legacy' : 'modern');
      // Clients validate results against the schemas that they have listed.
      const { tools } = await client.listTools();
      assert.ok(tools.find(({ name }) => name === 'mcp__files__read_text_file')?.outputSchema);
      const read = async (tool: string, file: string): Promise<Result> =>
        (await client.callTool({ name: `mcp__files__${tool}`, arguments: { path: path(file) } })) as Result;
      for (const size of [20, 100]) {
        const { content, structuredContent } = await read('read_text_file', `${size}.txt`);
        assert.deepEqual(content, [{ type: 'text', text: textOf(size) }]);
        assert.deepEqual(structuredContent, { content: textOf(size) });
      }
      const large = await read('read_text_file', '400.txt');
      const shortened = large.structuredContent?.content;
      assert.ok(typeof shortened === 'string' && shortened.length > 40_000 && shortened.length < 48_000);
      assert.equal(large.content[0]?.text, shortened);
      assert.match(
        large.content[1]?.text ?? '',
        /Read on with the tool mcp__signalbox__read_result \{"uri": "signalbox:/,
      );
      const stored = large._meta?.['signalbox/result'] as { uri: string; characters: number };
      assert.equal(stored.characters, textOf(400).length);
      const rest = (await client.callTool({
        name: 'mcp__signalbox__read_result',
        arguments: { uri: stored.uri, offset: stored.characters - 7 },
      })) as Result;
      assert.equal(rest.content[0]?.text, 'the end');
      const resource = (await client.readResource({ uri: stored.uri })) as { contents: { text?: string }[] };
      assert.equal(resource.contents[0]?.text, textOf(400), 'the link in the result can be read as a resource');
      const media = await read('read_media_file', 'picture.png');
      assert.deepEqual(media.content, [{ type: 'image', data: picture, mimeType: 'image/png' }]);
      assert.deepEqual(media.structuredContent, { content: media.content });
    });
  }

  test('reach the Inspector', async (t) => {
    const { url, path } = await serveFiles(t);
    const target = [url.href, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
    for (const [file, least] of [
      ['100.txt', 102_000],
      ['400.txt', 40_000],
    ] as const) {
      const call = ['tools/call', '--tool-name', 'mcp__files__read_text_file', '--tool-arg', `path=${path(file)}`];
      const { structuredContent } = (await inspect(t, target, call)) as Result;
      assert.ok(String(structuredContent?.content).length > least);
    }
  });

  test('reach a caller of the HTTP API and a model of the AI SDK, the image as an image', async (t) => {
    const { box, url, path, picture } = await serveFiles(t);
    const response = await fetch(new URL('/api/tools/mcp__files__read_media_file/call', url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ arguments: { path: path('picture.png') } }),
    });
    const { content } = (await response.json()) as Result;
    assert.deepEqual(content, [{ type: 'image', data: picture, mimeType: 'image/png' }]);
    const tool = aiSdkTools(box)['mcp__files__read_media_file'];
    const input = { path: path('picture.png') };
    const output: unknown = await tool?.execute?.(input, { toolCallId: 'a', messages: [], context: {} });
    const modelOutput = await tool?.toModelOutput?.({ toolCallId: 'a', input, output });
    assert.ok(modelOutput?.type === 'content');
    assert.ok(JSON.stringify(modelOutput.value).includes(picture));
  });

  test('reach the model of Claude Code through the MCP endpoint', async (t) => {
    const { url, path, picture } = await serveFiles(t);
    const server = { url: url.href, token };
    const complete = await claudeTurn(t, server, ['mcp__files__read_text_file', { path: path('20.txt') }]);
    assert.equal(complete.results[0]?.failed, false);
    assert.ok(complete.results[0].text.includes('the end'));
    const large = await claudeTurn(t, server, ['mcp__files__read_text_file', { path: path('400.txt') }]);
    assert.equal(large.results[0]?.failed, false, large.results[0]?.text);
    assert.match(
      large.results[0].text,
      /more characters: mcp__signalbox__read_result \{.*signalbox:\/\/results\/call_/,
    );
    const media = await claudeTurn(t, server, ['mcp__files__read_media_file', { path: path('picture.png') }]);
    assert.deepEqual(imagesIn(media.request), [picture]);
  });
});
