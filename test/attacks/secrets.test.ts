import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { defineTool, localServer } from '../../src/index.ts';
import type { TurnEvent } from '../../src/runtimes/runtime.ts';
import type { SessionEvent } from '../../src/sessions/events/session-event.ts';
import { CliProject } from '../e2e/cli-project.ts';
import { until } from '../mcp-servers/boxed.ts';
import { openStream } from '../support/http/event-stream.ts';
import { bodyOf, startTestServer } from '../support/http/http-server.ts';
import { eventsOf, isDone, openSessionServer } from '../support/sessions/session-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const secret = `tok'en "of" <a> $erver & more \\ 0123456789 é`;
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

function wrap(text: string, width: number, lineBreak = '\n'): string {
  return text.replaceAll(new RegExp(`.{${width}}`, 'gs'), `$&${lineBreak}`);
}

const html = (text: string, quote: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", quote);

/** Encodings of the secret that a program may write, with surrounding text. */
const encodings: Readonly<Record<string, string>> = {
  HTML: `<p title="${html(secret, '&#39;')}">`,
  'HTML with hexadecimal quotes': html(secret, '&#x27;'),
  XML: `<v>${html(secret, '&apos;')}</v>`,
  'HTML twice': html(html(secret, '&#39;'), '&#39;'),
  'decimal character references': [...secret].map((each) => `&#${each.codePointAt(0)};`).join(''),
  'hexadecimal character references': [...secret].map((each) => `&#x${each.codePointAt(0)?.toString(16)};`).join(''),
  'single quotes of a shell': `curl -H '${secret.replaceAll("'", String.raw`'\''`)}'`,
  'single and double quotes of a shell': `curl -H '${secret.replaceAll("'", `'"'"'`)}'`,
  'double quotes of a shell': `curl -H "${secret.replaceAll(/["$`\\]/g, (mark) => `\\${mark}`)}"`,
  'the escapes of printf %q': secret.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, (mark) => `\\${mark}`),
  'percent-encoding twice': `/?next=${encodeURIComponent(`/?token=${encodeURIComponent(secret)}`)}`,
  'base64 twice': Buffer.from(Buffer.from(`user:${secret}`).toString('base64')).toString('base64'),
  // The prefix puts a plus sign into the encoded secret, which percent-encoding changes.
  'base64 in a query': encodeURIComponent(Buffer.from(`me:${secret}`).toString('base64')),
  'UTF-16 in base64, as PowerShell takes it': utf16(`$t = "${secret}"`).toString('base64'),
  'UTF-16 in hex': utf16(secret).toString('hex'),
  'big-endian UTF-16 in hex': utf16(secret).swap16().toString('hex'),
  'UTF-16 read as bytes': utf16(secret).toString('latin1'),
  'big-endian UTF-16 read as bytes': utf16(secret).swap16().toString('latin1'),
  'lines of 20 characters': wrap(secret, 20),
  'lines of base64 with 64 characters': wrap(Buffer.from(`${'x'.repeat(31)}${secret}`).toString('base64'), 64, '\r\n'),
  'lines of base64 with 76 characters, indented': wrap(
    Buffer.from(`${'x'.repeat(50)}${secret}`).toString('base64'),
    76,
    '\n    ',
  ),
  'soft line breaks of quoted-printable': wrap(secret, 30, '=\r\n'),
};

/** Serves a project, waits until `/api/tools` lists a tool of the server `leaks`, and returns the responses to an admin. */
async function fetchFromServe(
  project: CliProject,
  environment: Readonly<Record<string, string>>,
  paths: readonly string[],
): Promise<string[]> {
  const { url, stop } = await project.serve({ ...environment, SIGNALBOX_TOKEN: 'admin-of-secrets' });
  const get = async (path: string): Promise<string> =>
    (await fetch(url + path, { headers: { authorization: 'Bearer admin-of-secrets' } })).text();
  await until(async () => (await get('/api/tools')).includes('mcp__leaks__fetch'), 'the server is up');
  const texts = await Promise.all(paths.map(get));
  await stop();
  return texts;
}

suite('encoded secrets', () => {
  for (const [name, encoded] of Object.entries(encodings))
    test(`${name}: neither arguments nor results leave the secret in the records`, async (t) => {
      const data = temporaryDirectory(t);
      const echo = defineTool({
        name: 'echo',
        description: 'Returns its text.',
        input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const,
        effect: 'read',
        run: ({ text }) => text,
      });
      const box = await openSignalbox({
        servers: [localServer({ name: 'test', tools: [echo] })],
        secrets: { TOKEN: secret },
        data,
      });
      const { content } = await box.call('mcp__test__echo', { text: encoded });
      assert.deepEqual(content, [{ type: 'text', text: encoded }], 'the caller receives the unchanged result');
      const [call] = (await box.journal.calls()).items;
      assert.ok(call?.type === 'ToolInvoked');
      assert.match(JSON.stringify(call.arguments), /\[redacted:TOKEN\]/);
      await box.close();
      const records = readdirSync(data, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
        .join('\n');
      for (const written of [encoded, JSON.stringify(encoded).slice(1, -1)])
        assert.ok(!records.includes(written), 'no file of the data directory contains the encoded secret');
    });

  test('a secret in the texts of its own server appears neither in listings, nor in the HTTP API, nor in the lock', async () => {
    const token = 'leaking-token-0123456789';
    const project = new CliProject({
      'leaks.mjs': `
        import { createInterface } from 'node:readline';
        const token = process.env.TOKEN;
        const answers = {
          initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'leaks', version: token }, instructions: 'Use ' + token },
          'tools/list': { tools: [{ name: 'fetch', title: token, description: 'Signs in with ' + token, annotations: { readOnlyHint: true },
            inputSchema: { type: 'object', properties: { key: { type: 'string', description: token, default: token, enum: [token] } } },
            _meta: { note: token } }] },
        };
        for await (const line of createInterface({ input: process.stdin })) {
          const { id, method } = JSON.parse(line);
          if (id === undefined) continue;
          const reply = answers[method] === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: answers[method] };
          console.log(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
        }`,
      'signalbox.config.json': JSON.stringify({
        mcpServers: { leaks: { command: process.execPath, args: ['leaks.mjs'], env: { TOKEN: '${env:LEAKED}' } } },
      }),
    });
    const environment = { LEAKED: token };
    const tools = await project.run(['tools', '--json', '--why'], { environment });
    assert.match(tools.stdout, /Signs in with \[redacted:LEAKED\]/, tools.stderr);
    const locked = await project.run(['lock'], { environment });
    assert.equal(locked.code, 0, locked.stderr);
    const doctor = await project.run(['doctor', '--json'], { environment });
    const lock = readFileSync(join(project.directory, 'signalbox.lock'), 'utf8');
    assert.match(lock, /Signs in with \[redacted:LEAKED\]/);
    const [listed, servers] = await fetchFromServe(project, environment, ['/api/tools', '/api/servers']);
    assert.match(listed ?? '', /Signs in with \[redacted:LEAKED\]/);
    for (const text of [tools.stdout, tools.stderr, locked.stdout, lock, doctor.stdout, listed, servers])
      assert.ok(text?.includes(token) === false, text);
  });
});

suite('redaction for viewers', () => {
  const token = `ghp_${'Ab3'.repeat(12)}`;
  const password = 'correct-horse';
  const input = { command: `git push https://x:${password}@h # ${token}`, env: { PASSWORD: password } };
  // No piece looks like a secret on its own.
  const pieces = (text: string): string[] => text.match(/.{1,7}/gs) ?? [];

  async function* scriptedTurn(): AsyncGenerator<TurnEvent> {
    const call = { toolCallId: 'call_1' };
    for (const text of pieces(`I will use ${token}.`)) {
      yield { type: 'text_delta', text };
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield { type: 'thinking_delta', text: `It is ${token}` };
    yield { type: 'tool_call_start', ...call, toolName: 'mcp__t__shell', server: 't', tool: 'shell' };
    for (const inputJson of pieces(JSON.stringify(input))) {
      yield { type: 'tool_call_delta', ...call, inputJson };
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield { type: 'tool_call_end', ...call, input };
    const content = [{ type: 'text', text: `ran with ${token}` }] as const;
    yield { type: 'tool_result', ...call, outcome: 'completed', content, durationMs: 1 };
    yield { type: 'text_delta', text: 'Done.' };
    yield { type: 'done', reason: 'end' };
  }

  /** Fails if the text contains a part of a secret that is long enough to be of use. */
  const assertHidden = (text: string): void => {
    for (const secretText of [token, password])
      for (let start = 0; start + 6 <= secretText.length; start++)
        assert.ok(!text.includes(secretText.slice(start, start + 6)), text);
  };

  test('a session shows viewers no secrets in lists, transcripts or streams, but shows them to approvers and its own agent', async (t) => {
    const { ask, as, create, say, fixture, server } = await openSessionServer(t);
    fixture.script = scriptedTurn;
    const [viewer, approver] = [await as('viewer'), await as('approver')];
    const id = await create({ agent: 'scripted' });
    const live = await openStream(`${server.url}/api/events?types=session`, { headers: viewer });
    const liveTexts = (async () => {
      const texts: string[] = [];
      for await (const { event, data } of live) {
        texts.push(data);
        if (event === 'session' && isDone(JSON.parse(data) as SessionEvent)) break;
      }
      live.drop();
      return texts.join('\n');
    })();
    const allEvents = await eventsOf(await say(id, `Use ${token}`), isDone);
    assert.ok(allEvents.length > 10);
    assertHidden(await liveTexts);

    const text = async (path: string, headers: Record<string, string>): Promise<string> =>
      (await ask('GET', path, undefined, headers)).text();
    for (const path of [`/api/sessions/${id}/messages`, `/api/sessions/${id}`, '/api/sessions'])
      assertHidden(await text(path, viewer));
    const transcript = await text(`/api/sessions/${id}/messages`, viewer);
    assert.match(transcript, /I will use \[redacted:github-token\]\./);
    assert.match(transcript, /"PASSWORD":"\[redacted\]"/);
    const complete = await text(`/api/sessions/${id}/messages`, approver);
    assert.ok(complete.includes(token) && complete.includes(`"PASSWORD":"${password}"`), complete);

    const agent = await as('agent');
    const own = await bodyOf<{ id: string }>(ask('POST', '/api/sessions', { agent: 'scripted' }, agent));
    const sending = { ...agent, 'content-type': 'application/json' };
    const body = JSON.stringify({ content: 'Go' });
    const path = `${server.url}/api/sessions/${own.id}/messages`;
    await eventsOf(await openStream(path, { method: 'POST', headers: sending, body }), isDone);
    assert.ok((await text(`/api/sessions/${own.id}/messages`, agent)).includes(token));
    assertHidden(await text(`/api/sessions/${own.id}/messages`, viewer));

    const eventsAfter = async (after: number, headers: Record<string, string>): Promise<SessionEvent[]> => {
      const stream = await openStream(`${server.url}/api/sessions/${id}/events?after=${after}`, { headers });
      const events = await eventsOf(stream, isDone);
      stream.drop();
      return events;
    };
    // Resumes the stream after each event, also in the middle of a text.
    for (const { seq } of allEvents.slice(0, -1)) {
      const events = await eventsAfter(seq, viewer);
      assert.deepEqual(
        events.map((event) => event.seq),
        allEvents.flatMap((event) => (event.seq > seq ? event.seq : [])),
      );
      assertHidden(JSON.stringify(events));
    }
    const texts = (await eventsAfter(0, viewer)).map((event) => (event.type === 'text_delta' ? event.text : ''));
    assert.equal(texts.join('|').replaceAll(/\|+/g, '|'), '|I will use [redacted:github-token].|Done.|');
    assert.ok(JSON.stringify(await eventsAfter(0, approver)).includes(`ran with ${token}`));
  });

  test('a stored result is redacted, at any page offset', async (t) => {
    const text = `${'x'.repeat(5000)} ${token} ${'y'.repeat(5000)}`;
    const tool = defineTool({
      name: 'long',
      description: 'Is long.',
      input: { type: 'object' },
      effect: 'read',
      run: () => text,
    });
    const box = await openSignalbox({
      servers: [localServer({ name: 't', tools: [tool] })],
      results: { maxBytes: 4096 },
    });
    const { token: newToken, send } = await startTestServer(t, { box });
    const { callId } = await box.call('mcp__t__long', {});
    interface Page {
      readonly text: string;
      readonly next?: number;
    }
    const read = async (role: 'viewer' | 'approver'): Promise<string> => {
      const { token: bearer } = await newToken(role);
      let all = '';
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const query = `offset=${offset}&limit=${5010 - (offset === 0 ? 0 : 10)}`;
        const page: Page = await bodyOf<Page>(send(bearer, 'GET', `/api/results/${callId}?${query}`));
        all += page.text;
        offset = page.next;
      }
      return all;
    };
    assert.equal(await read('approver'), text);
    assert.equal(await read('viewer'), text.replace(token, '[redacted:github-token]'));
  });
});
