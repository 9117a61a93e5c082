import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { boxed, until } from '../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../test/mcp-servers/programs.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { type CallResult, type CachedProtocolVersion, discoverMcpServer, mcpServer } from '../../index.ts';

function textOf({ content }: CallResult): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

/** Kills the process of the fixture. */
function killServer(): void {
  for (const pid of readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' '))
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('fixture-program')) process.kill(Number(pid), 'SIGKILL');
}

/** A server of the older revisions with one tool, which returns its parameters. */
const echoesItsParams = `
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'echoes', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'params', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
    'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params) }] }),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method] === undefined ? { error: { code: -32601, message: 'no' } } : { result: answers[method](params) };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });`;

function scratchFile(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-mcp-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'acts');
}

describe('mcpServer with a program', () => {
  for (const [era, version] of [
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
    ['exits-on-probe', '2025-11-25'],
    ['silent-on-probe', '2025-11-25'],
  ] as const) {
    test(`connects and runs calls (${era})`, async (t) => {
      const { box, server } = await boxed(t, { transport: fixtureProgram(era) });
      const health = server.health();
      assert.equal(health.state, 'up', health.lastError);
      assert.equal(health.protocolVersion, version);
      assert.equal(health.instructions, 'Use it in tests.');
      assert.deepEqual(health.serverInfo, { name: 'fixture', version: '1.2.3' });
      const result = await box.call('mcp__fixture__echo', { text: 'hello' });
      assert.deepEqual([result.outcome, textOf(result)], ['completed', 'hello']);
    });
  }

  test('caches the protocol version', async () => {
    let stored = 0;
    const cached = new Map<string, CachedProtocolVersion | undefined>();
    const protocolVersions = {
      get: (key: string) => cached.get(key),
      set(key: string, version: CachedProtocolVersion | undefined) {
        stored += 1;
        cached.set(key, version);
      },
    };
    const transport = fixtureProgram('exits-on-probe');
    for (const wasKnown of [false, true]) {
      assert.equal(cached.size === 1, wasKnown);
      const server = mcpServer({ name: 'fixture', transport, protocolVersions });
      await server.ready();
      assert.equal(server.health().state, 'up');
      await server.close();
    }
    assert.equal(stored, 1, 'the second connection uses the cached version');
    const [version] = cached.values();
    assert.equal(version?.kind, 'legacy');
    assert.ok(Date.now() - (version?.at ?? 0) < 60_000);
  });

  test('corrects a stale cached version', async (t) => {
    const cached = new Map<string, CachedProtocolVersion | undefined>();
    const protocolVersions = {
      get: (key: string): CachedProtocolVersion | undefined =>
        cached.has(key)
          ? cached.get(key)
          : {
              kind: 'modern',
              discover: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
              at: 0,
            },
      set: (key: string, version: CachedProtocolVersion | undefined) => void cached.set(key, version),
    };
    const { server } = await boxed(t, { transport: fixtureProgram('legacy'), protocolVersions });
    await until(() => server.health().state === 'up', 'the server is up in the older revision');
    assert.equal(server.health().protocolVersion, '2025-11-25');
  });

  test('validates arguments; a tool whose schema does not compile cannot be called', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram() });
    const refused = await box.call('mcp__fixture__echo', { text: 1 });
    assert.equal(refused.error?.code, 'arguments-invalid');
    const broken = await box.call('mcp__fixture__broken', { a: 1 });
    assert.equal(broken.error?.code, 'tool-hidden');
    const hidden = box.catalog().hidden.find(({ name }) => name === 'mcp__fixture__broken');
    assert.match(hidden?.reason ?? '', /schema is invalid: .*"schema": "trust"/);
  });

  test('derives effects from annotations, and passes schemas on unchanged', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram(), schema: { broken: 'trust' } });
    const byName = new Map(box.tools().map((tool) => [tool.id.tool, tool]));
    assert.deepEqual([byName.get('echo')?.effect, byName.get('act')?.effect], ['read', 'irreversible']);
    const act = byName.get('act');
    assert.deepEqual(
      [act?.annotations.idempotentHint, act?.idempotent],
      [true, false],
      'an unverified claim is not enough',
    );
    assert.deepEqual(byName.get('broken')?.inputSchema, {
      type: 'object',
      properties: { a: { type: 'no-such-type' } },
    });
  });

  test('lists all pages', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy', '--many', '250') });
    assert.equal(box.tools().filter((tool) => tool.id.tool.startsWith('many_')).length, 250);
    assert.equal(textOf(await box.call('mcp__fixture__many_249')), 'many_249');
  });

  test('cuts a list that does not end, with a notice', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy', '--endless') });
    assert.ok(box.tools().some((tool) => tool.id.tool === 'echo'));
    assert.deepEqual(
      box
        .catalog()
        .notices.flatMap(({ tool, message }) =>
          message.startsWith('its list') ? [`${tool} ${message.slice(0, 52)}`] : [],
        ),
      ['mcp__fixture__* its list tools/list did not end after 1000 pages and'],
    );
  });

  for (const era of ['legacy', 'modern']) {
    test(`updates its tools after a change; unchanged tools stay the same objects (${era})`, async (t) => {
      const { box, server } = await boxed(t, { transport: fixtureProgram(era) });
      const before = server.state().tools;
      const { version } = box.catalog();
      await box.call('mcp__fixture__grow', { name: 'newcomer' });
      await until(() => box.tools().some((tool) => tool.id.tool === 'newcomer'), 'the new tool is listed');
      assert.ok(box.catalog().version > version);
      const after = new Set(server.state().tools);
      assert.deepEqual(
        before.filter((tool) => !after.has(tool)),
        [],
      );
    });

    test(`lists all tools after many changes in a row (${era})`, async (t) => {
      const { box } = await boxed(t, { transport: fixtureProgram(era) });
      const names = Array.from({ length: 20 }, (_, index) => `newcomer_${index}`);
      const [first, ...others] = names;
      // The others arrive while the first is being listed.
      await box.call('mcp__fixture__grow', { name: first });
      await Promise.all(others.map((name) => box.call('mcp__fixture__grow', { name })));
      const listed = (): Set<string> => new Set(box.tools().map((tool) => tool.id.tool));
      await until(() => names.every((name) => listed().has(name)), 'all new tools are listed');
    });

    // A fault of the TypeScript SDK that does not reach us: #2165, an abort looks like a timeout.
    test(`forwards cancellations (${era})`, async (t) => {
      const { box, server } = await boxed(t, { transport: fixtureProgram(era) });
      const cancellation = new AbortController();
      const calling = box.call('mcp__fixture__wait', { ms: 60_000 }, { signal: cancellation.signal });
      await wait(100);
      cancellation.abort();
      assert.equal((await calling).outcome, 'cancelled');
      await until(
        () => server.health().stderr.includes('the wait was cancelled'),
        'the server received the cancellation',
      );
      assert.equal((await box.call('mcp__fixture__echo', { text: 'still here' })).outcome, 'completed');
    });
  }

  test('returns protocol errors as failed calls with the message', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram() });
    const result = await box.call('mcp__fixture__fail');
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'tool-failed']);
    assert.match(result.error?.message ?? '', /no such luck/);
  });

  test('passes a minimal environment: a few default variables and the configured ones', async (t) => {
    process.env['SIGNALBOX_TEST_SECRET'] = 'not to be passed on';
    process.env['NODE_OPTIONS'] ??= '';
    const { box } = await boxed(t, { transport: { ...fixtureProgram(), env: { GIVEN: 'this' } } });
    const environment = JSON.parse(textOf(await box.call('mcp__fixture__environment'))) as Record<string, string>;
    delete process.env['SIGNALBOX_TEST_SECRET'];
    const allowed = new Set(['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'GIVEN']);
    assert.deepEqual(
      Object.keys(environment).filter((name) => !allowed.has(name)),
      [],
    );
    assert.equal(environment['GIVEN'], 'this');
    assert.equal(environment['PATH'], process.env['PATH']);
  });

  // A fault of the TypeScript SDK that does not reach us: a message over 10 MB closes the connection.
  test('accepts a message of 20 MB; one over the limit ends the connection, which is opened again', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), maxMessageBytes: 30 * 1024 * 1024 });
    const large = await box.call('mcp__fixture__large', { bytes: 20 * 1024 * 1024 });
    assert.equal(large.outcome, 'completed');
    const tooLarge = await box.call('mcp__fixture__large', { bytes: 31 * 1024 * 1024 });
    assert.equal(tooLarge.outcome, 'failed');
    assert.match(tooLarge.error?.message ?? '', /it sent a message of more than 30 MB/);
    assert.equal((await box.call('mcp__fixture__echo', { text: 'back' })).outcome, 'completed');
    assert.equal(server.health().restarts, 3, 'a read is tried three times');
  });

  // A fault of the TypeScript SDK that does not reach us: #2706, it writes without backpressure.
  test('sends everything to a program that reads slowly, except calls that were cancelled while they waited', async (t) => {
    const file = scratchFile(t);
    const { box } = await boxed(t, { transport: fixtureProgram('reads-slowly') });
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(2 * 1024 * 1024));
    const echoes = texts.map((text) => box.call('mcp__fixture__echo', { text }));
    const cancellation = new AbortController();
    const withdrawn = box.call('mcp__fixture__act', { file, line: 'never' }, { signal: cancellation.signal });
    const sent = box.call('mcp__fixture__act', { file, line: 'once' });
    await wait(20);
    cancellation.abort();
    assert.equal((await withdrawn).outcome, 'cancelled');
    assert.deepEqual(
      (await Promise.all(echoes)).map(({ outcome }) => outcome),
      texts.map(() => 'completed'),
    );
    assert.equal((await sent).outcome, 'completed');
    assert.equal(readFileSync(file, 'utf8'), 'once\n');
  });

  // A fault of the TypeScript SDK that does not reach us: #2776, error output that nobody reads stops the server.
  test('reads all error output, and stores the last 200 lines', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram() });
    assert.equal((await box.call('mcp__fixture__flood', { lines: 20_000 })).outcome, 'completed');
    await until(() => server.health().stderr.at(-1)?.startsWith('line 19999') === true, 'the last line is read');
    assert.equal(server.health().stderr.length, 200);
  });

  // A fault of the TypeScript SDK that does not reach us: #2076, whether progress extends the timeout depends on the listener.
  test('does not extend timeouts on progress, with or without a listener', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram(), timeoutMs: 1000 });
    const reported: number[] = [];
    const args = { name: 'endless', count: 1_000_000 };
    const [silent, listening] = await Promise.all([
      box.call('mcp__fixture__steps', args),
      box.call('mcp__fixture__steps', args, { onProgress: ({ progress }) => reported.push(progress) }),
    ]);
    assert.deepEqual([silent.outcome, listening.outcome], ['timed-out', 'timed-out']);
    assert.ok(reported.length > 0);
  });

  test('requests progress only for a listener', async (t) => {
    const args = ['-e', echoesItsParams];
    const { box } = await boxed(t, { transport: { type: 'stdio', command: process.execPath, args } });
    assert.equal(textOf(await box.call('mcp__fixture__params')), '{"name":"params","arguments":{}}');
    const listening = textOf(await box.call('mcp__fixture__params', {}, { onProgress: () => undefined }));
    assert.match(listening, /"_meta":\{"progressToken":"signalbox-\d+"\}/);
  });

  test('ignores output that is not a message, and stores it with the error output', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram() });
    assert.equal((await box.call('mcp__fixture__noise')).outcome, 'completed');
    assert.ok(server.health().stderr.some((line) => line.includes('this is not a message')));
  });

  test('answers an elicitation of the 2026 revision, and completes the call', async (t) => {
    const questions: unknown[] = [];
    const { box } = await boxed(t, {
      transport: fixtureProgram('modern'),
      onElicit(params) {
        questions.push(params['message']);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    const result = await box.call('mcp__fixture__ask');
    assert.match(textOf(result), /^answered .*"Ada".* to state-1$/);
    assert.deepEqual(questions, ['Who are you?']);
  });

  test('announces no capability that nobody has; the call then fails with that reason', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('modern') });
    const result = await box.call('mcp__fixture__ask');
    assert.equal(result.outcome, 'failed');
    assert.match(result.error?.message ?? '', /elicitation/);
  });

  test('discoverMcpServer reads the lists without mounting the server', async () => {
    const { tools, protocolVersion, instructions } = await discoverMcpServer({
      name: 'fixture',
      transport: fixtureProgram('modern', '--many', '120'),
    });
    const names = tools.map((tool) => (isJsonObject(tool) ? tool['name'] : undefined));
    assert.equal(names.filter((name) => typeof name === 'string' && name.startsWith('many_')).length, 120);
    assert.deepEqual([protocolVersion, instructions], ['2026-07-28', 'Use it in tests.']);
    const missing = discoverMcpServer({ name: 'fixture', transport: { type: 'stdio', command: 'no-such-program' } });
    await assert.rejects(missing, /"no-such-program" was not found/);
    const joined = discoverMcpServer({
      name: 'fixture',
      transport: { type: 'stdio', command: 'no-such-program a.mjs' },
    });
    await assert.rejects(joined, /did you mean command "no-such-program" with args \["a\.mjs"\]\?/);
  });
});

describe('mcpServer after its program died', () => {
  test('retries a running read, which fails in the end, and reconnects automatically', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram() });
    const before = server.state().tools;
    const result = await box.call('mcp__fixture__die');
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'tool-failed']);
    assert.match(result.error?.message ?? '', /broke while die ran: its process ended with exit code 3/);
    assert.equal((await box.call('mcp__fixture__echo', { text: 'again' })).outcome, 'completed');
    assert.equal(server.state().tools, before, 'the catalog does not change');
    assert.equal(server.health().restarts, 3, 'once for each attempt');
  });

  test('reports the outcome of a call with an effect as unknown, and does not repeat it, even if its tool claims to be idempotent', async (t) => {
    const file = scratchFile(t);
    const { box } = await boxed(t, { transport: fixtureProgram() });
    const acting = box.call('mcp__fixture__act', { file, line: 'once', ms: 60_000 });
    await wait(200);
    await box.call('mcp__fixture__die');
    const result = await acting;
    assert.deepEqual([result.outcome, result.error?.code], ['unknown', 'outcome-lost']);
    assert.match(result.error?.message ?? '', /may have taken effect: the connection to server "fixture" broke/);
    await box.call('mcp__fixture__echo', { text: 'up again' });
    assert.equal(readFileSync(file, 'utf8'), 'once\n');
  });

  test('pauses a server that keeps dying; the catalog has the reason, and calls fail', async (t) => {
    const { box, server } = await boxed(t, {
      transport: {
        type: 'stdio',
        command: process.execPath,
        args: ['-e', 'console.error("no database"); process.exit(7)'],
      },
    });
    await until(() => (server.health().nextRetryAt ?? 0) - Date.now() > 20_000, 'the next attempt is far away');
    const [, provenance] = box.catalog().servers;
    assert.equal(provenance?.status, 'down');
    assert.match(provenance?.reason ?? '', /exit code 7 \(it keeps failing; next try in 30 s\)/);
    assert.ok(server.health().stderr.includes('no database'));
    assert.ok((await box.call('mcp__fixture__echo')).outcome === 'failed');
  });

  test('hides its tools during a longer outage', async (t) => {
    let isReachable = true;
    const { box, server } = await boxed(t, {
      transport() {
        if (!isReachable) throw new Error('the network cable is out');
        return fixtureProgram();
      },
    });
    isReachable = false;
    const during = await box.call('mcp__fixture__die');
    assert.deepEqual([during.outcome, during.error?.code], ['failed', 'tool-failed']);
    assert.match(
      during.error?.message ?? '',
      /may have run: .*its process ended with exit code 3; .*the network cable is out \(3 attempts\)$/,
    );
    const refused = await box.call('mcp__fixture__echo', { text: 'down' });
    assert.deepEqual([refused.outcome, refused.error?.code], ['failed', 'server-down']);
    assert.ok(box.catalog().hidden.some((tool) => tool.name === 'mcp__fixture__echo' && tool.by === 'server-down'));
    isReachable = true;
    await server.restart();
    assert.equal((await box.call('mcp__fixture__echo', { text: 'hello' })).outcome, 'completed');
  });

  test('replaces a program that hangs, after a call timed out', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), timeoutMs: 1000 });
    assert.equal((await box.call('mcp__fixture__hang')).outcome, 'timed-out');
    await until(() => server.health().restarts === 1 && server.health().state === 'up', 'the program was replaced');
    assert.equal((await box.call('mcp__fixture__echo', { text: 'new' })).outcome, 'completed');
  });

  const skip = process.platform !== 'linux' && 'it finds the process in /proc';
  test(
    'ends every call, repeats no effect and restores the catalog when it is killed at random under load',
    { skip },
    async (t) => {
      const file = scratchFile(t);
      const { box, server } = await boxed(t, { transport: fixtureProgram() });
      const results: CallResult[] = [];
      const end = new AbortController();
      let next = 0;
      const workers = Array.from({ length: 16 }, async () => {
        while (!end.signal.aborted) {
          const line = `line-${(next += 1)}`;
          results.push(await box.call('mcp__fixture__act', { file, line, ms: 2 }));
        }
      });
      for (let kill = 0; kill < 4; kill += 1) {
        await wait(300 + Math.random() * 500);
        killServer();
      }
      await wait(500);
      end.abort();
      await Promise.all(workers);
      await until(() => server.health().state === 'up', 'the server is up');
      assert.equal(results.length, next);
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      assert.equal(new Set(lines).size, lines.length, 'an effect happened twice');
      const completed = results.filter(({ outcome }) => outcome === 'completed').length;
      const unknown = results.filter(({ outcome }) => outcome === 'unknown').length;
      assert.ok(
        lines.length >= completed && lines.length <= completed + unknown,
        `${lines.length} acts, ${completed} + ${unknown}`,
      );
      assert.ok(box.tools().some((tool) => tool.id.tool === 'act'));
    },
  );
});
