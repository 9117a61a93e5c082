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

/** Kills the fixture from outside, whatever it is doing. */
function killServer(): void {
  for (const pid of readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' '))
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('fixture-program')) process.kill(Number(pid), 'SIGKILL');
}

/** A server of the older revisions with one tool, which returns its parameters. */
const tellsItsParams = `
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tells', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'tell', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
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

describe('a server that is a process', () => {
  for (const [era, version] of [
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
    ['exits-on-probe', '2025-11-25'],
    ['silent-on-probe', '2025-11-25'],
  ] as const) {
    test(`its tools can be called, whatever it makes of the newest revision (${era})`, async (t) => {
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

  test('which revision it speaks is found out once', async () => {
    const kept = new Map<string, CachedProtocolVersion | undefined>();
    const verdicts = {
      get: (key: string) => kept.get(key),
      set: (key: string, verdict: CachedProtocolVersion | undefined) => void kept.set(key, verdict),
    };
    const transport = fixtureProgram('exits-on-probe');
    for (const wasKnown of [false, true]) {
      assert.equal(kept.size === 1, wasKnown);
      const server = mcpServer({ name: 'fixture', transport, protocolVersions: verdicts });
      await server.ready();
      assert.equal(server.health().state, 'up');
      await server.close();
    }
    const [verdict] = kept.values();
    assert.equal(verdict?.kind, 'legacy');
    assert.ok(Date.now() - (verdict?.at ?? 0) < 60_000);
  });

  test('a stale verdict is corrected', async (t) => {
    const kept = new Map<string, CachedProtocolVersion | undefined>();
    const verdicts = {
      get: (key: string): CachedProtocolVersion | undefined =>
        kept.has(key)
          ? kept.get(key)
          : {
              kind: 'modern',
              discover: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
              at: 0,
            },
      set: (key: string, verdict: CachedProtocolVersion | undefined) => void kept.set(key, verdict),
    };
    const { server } = await boxed(t, { transport: fixtureProgram('legacy'), protocolVersions: verdicts });
    await until(() => server.health().state === 'up', 'connected in the old revision');
    assert.equal(server.health().protocolVersion, '2025-11-25');
  });

  test('arguments are checked against its schema; a tool whose schema does not compile cannot be called', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram() });
    const refused = await box.call('mcp__fixture__echo', { text: 1 });
    assert.equal(refused.error?.code, 'arguments-invalid');
    const broken = await box.call('mcp__fixture__broken', { a: 1 });
    assert.equal(broken.error?.code, 'tool-hidden');
    const hidden = box.catalog().hidden.find(({ name }) => name === 'mcp__fixture__broken');
    assert.match(hidden?.reason ?? '', /schema is invalid: .*"schema": "trust"/);
  });

  test('effects come from its annotations, and schemas are passed on as received', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram(), schema: { broken: 'trust' } });
    const byName = new Map(box.tools().map((tool) => [tool.id.tool, tool]));
    assert.deepEqual([byName.get('echo')?.effect, byName.get('act')?.effect], ['read', 'irreversible']);
    const act = byName.get('act');
    assert.deepEqual([act?.annotations.idempotentHint, act?.idempotent], [true, false], 'its word is not enough');
    assert.deepEqual(byName.get('broken')?.inputSchema, {
      type: 'object',
      properties: { a: { type: 'no-such-type' } },
    });
  });

  test('all pages are listed', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy', '--many', '250') });
    assert.equal(box.tools().filter((tool) => tool.id.tool.startsWith('many_')).length, 250);
    assert.equal(textOf(await box.call('mcp__fixture__many_249')), 'many_249');
  });

  test('a list without end is cut, and the server is said to have one', async (t) => {
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
    test(`a change of its list is followed, and tools that did not change stay the same (${era})`, async (t) => {
      const { box, server } = await boxed(t, { transport: fixtureProgram(era) });
      const before = server.state().tools;
      const { version } = box.catalog();
      await box.call('mcp__fixture__grow', { name: 'newcomer' });
      await until(() => box.tools().some((tool) => tool.id.tool === 'newcomer'), 'the new tool is there');
      assert.ok(box.catalog().version > version);
      const after = new Set(server.state().tools);
      assert.deepEqual(
        before.filter((tool) => !after.has(tool)),
        [],
      );
    });

    test(`many changes in a row end with the last list (${era})`, async (t) => {
      const { box } = await boxed(t, { transport: fixtureProgram(era) });
      const names = Array.from({ length: 20 }, (_, index) => `newcomer_${index}`);
      const [first, ...others] = names;
      // The others arrive while the first is being listed.
      await box.call('mcp__fixture__grow', { name: first });
      await Promise.all(others.map((name) => box.call('mcp__fixture__grow', { name })));
      const listed = (): Set<string> => new Set(box.tools().map((tool) => tool.id.tool));
      await until(() => names.every((name) => listed().has(name)), 'all new tools are there');
    });

    // A fault of the TypeScript SDK that does not reach us: #2165, an abort looks like a timeout.
    test(`cancellation reaches it (${era})`, async (t) => {
      const { box, server } = await boxed(t, { transport: fixtureProgram(era) });
      const stop = new AbortController();
      const calling = box.call('mcp__fixture__wait', { ms: 60_000 }, { signal: stop.signal });
      await wait(100);
      stop.abort();
      assert.equal((await calling).outcome, 'cancelled');
      await until(() => server.health().stderr.includes('the wait was cancelled'), 'the server heard of it');
      assert.equal((await box.call('mcp__fixture__echo', { text: 'still here' })).outcome, 'completed');
    });
  }

  test('errors of the protocol are failed calls that say what was wrong', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram() });
    const result = await box.call('mcp__fixture__fail');
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'tool-failed']);
    assert.match(result.error?.message ?? '', /no such luck/);
  });

  test('its environment is minimal: what it needs to run, and what its entry names', async (t) => {
    process.env['SIGNALBOX_TEST_SECRET'] = 'do not pass on';
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
  test('a message of 20 MB gets through; one over the limit ends the connection, and it comes back', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), maxMessageBytes: 30 * 1024 * 1024 });
    const large = await box.call('mcp__fixture__large', { bytes: 20 * 1024 * 1024 });
    assert.equal(large.outcome, 'completed');
    const tooLarge = await box.call('mcp__fixture__large', { bytes: 31 * 1024 * 1024 });
    assert.equal(tooLarge.outcome, 'failed');
    assert.match(tooLarge.error?.message ?? '', /it sent a message of more than 30 MB/);
    assert.equal((await box.call('mcp__fixture__echo', { text: 'back' })).outcome, 'completed');
    assert.equal(server.health().restarts, 3, 'it is a read, and was tried three times');
  });

  // A fault of the TypeScript SDK that does not reach us: #2706, it writes without backpressure.
  test('one that reads slowly gets everything in the end, and nothing that was taken back while it waited', async (t) => {
    const file = scratchFile(t);
    const { box } = await boxed(t, { transport: fixtureProgram('reads-slowly') });
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(2 * 1024 * 1024));
    const echoes = texts.map((text) => box.call('mcp__fixture__echo', { text }));
    const stop = new AbortController();
    const takenBack = box.call('mcp__fixture__act', { file, line: 'never' }, { signal: stop.signal });
    const kept = box.call('mcp__fixture__act', { file, line: 'once' });
    await wait(20);
    stop.abort();
    assert.equal((await takenBack).outcome, 'cancelled');
    assert.deepEqual(
      (await Promise.all(echoes)).map(({ outcome }) => outcome),
      texts.map(() => 'completed'),
    );
    assert.equal((await kept).outcome, 'completed');
    assert.equal(readFileSync(file, 'utf8'), 'once\n');
  });

  // A fault of the TypeScript SDK that does not reach us: #2776, error output that nobody reads stops the server.
  test('its error output is drained, and the last 200 lines are kept', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram() });
    assert.equal((await box.call('mcp__fixture__flood', { lines: 20_000 })).outcome, 'completed');
    await until(() => server.health().stderr.at(-1)?.startsWith('line 19999') === true, 'the last line is read');
    assert.equal(server.health().stderr.length, 200);
  });

  // A fault of the TypeScript SDK that does not reach us: #2076, whether progress moves the timeout depends on who listens to it.
  test('progress, listened to or not, moves no limit of time', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram(), timeoutMs: 1000 });
    const heard: number[] = [];
    const args = { name: 'endless', count: 1_000_000 };
    const [deaf, listening] = await Promise.all([
      box.call('mcp__fixture__steps', args),
      box.call('mcp__fixture__steps', args, { onProgress: ({ progress }) => heard.push(progress) }),
    ]);
    assert.deepEqual([deaf.outcome, listening.outcome], ['timed-out', 'timed-out']);
    assert.ok(heard.length > 0);
  });

  test('it is asked for progress only where somebody listens', async (t) => {
    const args = ['-e', tellsItsParams];
    const { box } = await boxed(t, { transport: { type: 'stdio', command: process.execPath, args } });
    assert.equal(textOf(await box.call('mcp__fixture__tell')), '{"name":"tell","arguments":{}}');
    const heard = textOf(await box.call('mcp__fixture__tell', {}, { onProgress: () => undefined }));
    assert.match(heard, /"_meta":\{"progressToken":"signalbox-\d+"\}/);
  });

  test('what it prints beside the protocol does no harm', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram() });
    assert.equal((await box.call('mcp__fixture__noise')).outcome, 'completed');
    assert.ok(server.health().stderr.some((line) => line.includes('this is no message')));
  });

  test('what it asks the user in the newest revision is answered, and the call goes on', async (t) => {
    const asked: unknown[] = [];
    const { box } = await boxed(t, {
      transport: fixtureProgram('modern'),
      onElicit(params) {
        asked.push(params['message']);
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    const result = await box.call('mcp__fixture__ask');
    assert.match(textOf(result), /^answered .*"Ada".* to state-1$/);
    assert.deepEqual(asked, ['Who are you?']);
  });

  test('it is not offered what nobody can answer, and the call fails clearly', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('modern') });
    const result = await box.call('mcp__fixture__ask');
    assert.equal(result.outcome, 'failed');
    assert.match(result.error?.message ?? '', /elicitation/);
  });

  test('a server can be looked at without being mounted', async () => {
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

describe('a server that dies', () => {
  test('a read that was under way is tried again, and has failed then; the server comes back by itself', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram() });
    const before = server.state().tools;
    const result = await box.call('mcp__fixture__die');
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'tool-failed']);
    assert.match(result.error?.message ?? '', /broke while die ran: its process ended with exit code 3/);
    assert.equal((await box.call('mcp__fixture__echo', { text: 'again' })).outcome, 'completed');
    assert.equal(server.state().tools, before, 'the catalog has nothing to rebuild');
    assert.equal(server.health().restarts, 3, 'once for each try');
  });

  test('the outcome of a call with an effect is unknown, and it is not made again, whatever the server says of itself', async (t) => {
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

  test('one that keeps dying is left alone for a while; the catalog says why, and calls are refused', async (t) => {
    const { box, server } = await boxed(t, {
      transport: {
        type: 'stdio',
        command: process.execPath,
        args: ['-e', 'console.error("no database"); process.exit(7)'],
      },
    });
    await until(() => (server.health().nextRetryAt ?? 0) - Date.now() > 20_000, 'the breaker is open');
    const [, provenance] = box.catalog().servers;
    assert.equal(provenance?.status, 'down');
    assert.match(provenance?.reason ?? '', /exit code 7 \(it keeps failing; next try in 30 s\)/);
    assert.ok(server.health().stderr.includes('no database'));
    assert.ok((await box.call('mcp__fixture__echo')).outcome === 'denied');
  });

  test('a longer outage hides its tools until it is over', async (t) => {
    let isThere = true;
    const { box, server } = await boxed(t, {
      transport() {
        if (!isThere) throw new Error('the network cable is out');
        return fixtureProgram();
      },
    });
    isThere = false;
    const during = await box.call('mcp__fixture__die');
    assert.deepEqual([during.outcome, during.error?.code], ['failed', 'server-down']);
    assert.match(during.error?.message ?? '', /the network cable is out; nothing was run/);
    const denied = await box.call('mcp__fixture__echo', { text: 'anybody?' });
    assert.deepEqual([denied.outcome, denied.error?.code], ['denied', 'server-down']);
    assert.ok(box.catalog().hidden.some((tool) => tool.name === 'mcp__fixture__echo' && tool.by === 'server-down'));
    isThere = true;
    await server.restart();
    assert.equal((await box.call('mcp__fixture__echo', { text: 'hello' })).outcome, 'completed');
  });

  test('one that hangs is found out after a call ran out of time, and replaced', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), timeoutMs: 1000 });
    assert.equal((await box.call('mcp__fixture__hang')).outcome, 'timed-out');
    await until(() => server.health().restarts === 1 && server.health().state === 'up', 'it was replaced');
    assert.equal((await box.call('mcp__fixture__echo', { text: 'new' })).outcome, 'completed');
  });

  const skip = process.platform !== 'linux' && 'it finds the process in /proc';
  test(
    'killed at random under load: every call ends, no effect happens twice, and the catalog is whole again',
    { skip },
    async (t) => {
      const file = scratchFile(t);
      const { box, server } = await boxed(t, { transport: fixtureProgram() });
      const results: CallResult[] = [];
      const over = new AbortController();
      let next = 0;
      const workers = Array.from({ length: 16 }, async () => {
        while (!over.signal.aborted) {
          const line = `line-${(next += 1)}`;
          results.push(await box.call('mcp__fixture__act', { file, line, ms: 2 }));
        }
      });
      for (let kill = 0; kill < 4; kill += 1) {
        await wait(300 + Math.random() * 500);
        killServer();
      }
      await wait(500);
      over.abort();
      await Promise.all(workers);
      await until(() => server.health().state === 'up', 'it is back');
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
