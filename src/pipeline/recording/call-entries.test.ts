import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { type CallOptions, type JournalEvent, createSignalbox, defineTool, localServer } from '../../index.ts';
import { createRedactor } from '../../redaction/redactor.ts';
import { text } from '../../core/tools/content.ts';
import { Call } from '../call-lifecycle.ts';
import { prepareEntry, outcomeDraft } from './call-entries.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-record-'));
after(() => rmSync(directory, { recursive: true }));

const echo = defineTool({
  name: 'echo',
  description: 'x',
  input: { type: 'object' },
  effect: 'read',
  run: (args) => args,
});
const fail = defineTool({
  name: 'fail',
  description: 'x',
  input: { type: 'object' },
  run: (args) => {
    throw new Error(`cannot: ${JSON.stringify(args)}`);
  },
});

describe('ToolInvoked entry', () => {
  test('is written exactly once for every call, whatever its outcome, with all facts about it', async () => {
    const box = await createSignalbox({
      servers: [localServer({ name: 't', tools: [echo, fail] })],
      approve: ({ arguments: args }) => ({ allow: args['ok'] === true }),
    });
    const events: JournalEvent[] = [];
    box.on('ToolInvoked', (event) => events.push(event));
    const options: CallOptions = { session: 's1', principal: { id: 'bot', kind: 'agent' } };
    const results = [
      await box.call('mcp__t__echo', { a: 1 }, options),
      await box.call('mcp__t__fail', { ok: true }, options),
      await box.call('mcp__t__fail', { ok: false }, options),
      await box.call('mcp__t__echo', 'nonsense', options),
      await box.call('mcp__t__none', {}, options),
      await box.call('mcp__t__echo', {}, { ...options, signal: AbortSignal.abort() }),
      await box.call('mcp__t__echo', {}, { ...options, deadline: 0 }),
      await box.call('mcp__t__echo', {}, { ...options, definitionHash: 'other' }),
    ];
    const recorded = events.map(
      (event) =>
        event.type === 'ToolInvoked' && [
          event.callId,
          event.outcome,
          event.sessionId,
          event.principal.id,
          event.durationMs,
        ],
    );
    assert.deepEqual(
      recorded,
      results.map((result) => [result.callId, result.outcome, 's1', 'bot', result.durationMs]),
    );
    assert.deepEqual(
      results.map((result) => result.outcome),
      ['completed', 'failed', 'denied', 'failed', 'denied', 'cancelled', 'timed-out', 'stale'],
    );
    const [first] = events;
    assert.ok(first?.type === 'ToolInvoked');
    assert.deepEqual(
      [
        first.adapter,
        first.server,
        first.arguments,
        first.output,
        first.decision,
        first.effect,
        first.definitionHash?.length,
      ],
      [
        'local:t',
        't',
        { a: 1 },
        '{"a":1}',
        { answer: 'allow', rule: 'default:read', reason: 'reads are allowed' },
        'read',
        64,
      ],
    );
    await box.close();
  });

  test('follows an intent for a call with an effect, and stands alone for a quick read', async () => {
    const seen: string[] = [];
    const act = defineTool({
      name: 'act',
      description: 'x',
      input: { type: 'object' },
      run: async () =>
        void seen.push(
          ...(await box.journal.query({ tool: 'mcp__t__act', limit: 1 })).items.map((event) => event.type),
        ),
    });
    const box = await createSignalbox({
      servers: [localServer({ name: 't', tools: [act, echo] })],
      approve: () => ({ allow: true }),
    });
    await box.call('mcp__t__act');
    assert.deepEqual(seen, ['CallStarted']);
    await box.call('mcp__t__echo');
    assert.deepEqual(
      (await box.journal.query({ tool: 'mcp__t__echo' })).items.map((event) => event.type),
      ['ToolInvoked'],
    );
    await box.close();
  });

  test('follows an intent for a slow read, which is listed as running until then', async () => {
    const { promise, resolve: end } = Promise.withResolvers<string>();
    const slow = defineTool({
      name: 'slow',
      description: 'x',
      input: { type: 'object' },
      effect: 'read',
      run: () => promise,
      timeoutMs: 10_000,
    });
    const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [slow] })] });
    const started = new Promise((resolve) => box.on('CallStarted', resolve));
    const call = box.call('mcp__t__slow');
    await started;
    assert.deepEqual(
      (await box.journal.calls()).items.map((event) => event.type),
      ['CallStarted'],
    );
    end('seen');
    await call;
    assert.deepEqual(
      (await box.journal.calls()).items.map((event) => event.type),
      ['ToolInvoked'],
    );
    await box.close();
  });

  test('has at most 1000 characters of rendered output', async () => {
    const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [echo] })] });
    await box.call('mcp__t__echo', { long: 'é'.repeat(5000) });
    const [event] = (await box.journal.calls()).items;
    assert.ok(event?.type === 'ToolInvoked');
    assert.equal(event.output.length, 1000);
    await box.close();
  });
});

describe('secrets in entries', () => {
  test('never reach the disk, wherever they appear in a call', async () => {
    const secret = fc
      .string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(...Array.from('abcXYZ019-_=+/.$"\\é')) })
      .filter((value) => new Set(value).size > 4);
    const placement = fc.constantFrom(
      (value: string): object => ({ value }),
      (value: string): object => ({ deep: [{ list: ['x', `before ${value} after`] }] }),
      (value: string): object => ({ [`key ${value}`]: 1 }),
      (value: string): object => ({ json: JSON.stringify({ inner: value }) }),
      (value: string): object => ({ url: `https://host/?q=${encodeURIComponent(value)}` }),
      (value: string): object => ({ basic: Buffer.from(`user:${value}`).toString('base64') }),
      (value: string): object => ({ long: `${'x'.repeat(995)}${value}` }),
    );
    let count = 0;
    await fc.assert(
      fc.asyncProperty(secret, placement, async (value, place) => {
        const data = join(directory, String(count++));
        const box = await createSignalbox({
          data,
          servers: [localServer({ name: 't', tools: [echo, fail] })],
          secrets: { PLANTED: value },
          approve: () => ({ allow: true }),
        });
        const args = place(value);
        await box.call('mcp__t__echo', args, {
          session: `session ${value}`,
          principal: { id: value, kind: 'agent' },
          idempotencyKey: value,
        });
        await box.call('mcp__t__fail', args);
        await box.call(`mcp__t__${value}`, args);
        const page = await box.journal.query();
        assert.ok(!JSON.stringify(page).includes(JSON.stringify(value).slice(1, -1)));
        await box.close();
        for (const bytes of files(data)) {
          assert.ok(!bytes.includes(Buffer.from(value)), 'the value itself');
          assert.ok(!bytes.includes(Buffer.from(JSON.stringify(value).slice(1, -1))), 'the value inside JSON');
          assert.ok(!bytes.includes(Buffer.from(encodeURIComponent(value))), 'the value inside a URL');
          assert.ok(
            !bytes.includes(Buffer.from(Buffer.from(`user:${value}`).toString('base64').slice(8, -4))),
            'the value in base64',
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});

function files(path: string): Buffer[] {
  return readdirSync(path).flatMap((name) => {
    const file = join(path, name);
    return statSync(file).isDirectory() ? files(file) : [readFileSync(file)];
  });
}

test('an entry that is prepared while the tool runs is redacted like one that is built at the end', () => {
  const unit = fc.constantFrom('a', '"', ',', ':', '{', '}', 'd', 'sk-', 'Bearer ', 'password', '0', '-----BEGIN ');
  const word = fc.string({ unit, maxLength: 8 });
  // Texts that span the seam between the prepared part and the rest.
  const spanning = fc.constantFrom(
    '"},"durationMs"',
    'a"},"dur',
    '1,"output":"a',
    '}},"d',
    '"a"},"durationMs":1,"output":"a"',
  );
  const secret = fc.oneof(spanning, fc.string({ unit, minLength: 4, maxLength: 8 }));
  const given = fc.record({ secrets: fc.array(secret, { maxLength: 3 }), value: word, key: word, output: word });
  fc.assert(
    fc.property(given, ({ secrets, value, key, output }) => {
      const redactor = createRedactor();
      for (const [index, each] of secrets.entries()) redactor.add(`S${index}`, each);
      const drafts = [true, false].map((isPrepared) => {
        const call = new Call('mcp__t__echo', {}, {}, createRedactor());
        call.args.text = JSON.stringify({ [key]: value });
        call.recording.durationMs = 1;
        if (isPrepared) call.recording.preparedEntry = prepareEntry(call, redactor);
        const { draft, isWhole } = outcomeDraft(call, redactor, { outcome: 'completed', content: [text(output)] });
        return { body: draft.body, isWhole };
      });
      assert.deepEqual(drafts[0], drafts[1]);
    }),
    { seed: 20_261_116, numRuns: 5000 },
  );
});
