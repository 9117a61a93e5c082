import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { openClaudeFixture } from '../../../../test/support/runtime/claude-fixture.ts';
import { claudeCliRuntime } from '../cli/claude-cli-runtime.ts';
import { claudeRuntime } from '../sdk/claude-runtime.ts';
import type { Runtime, TranscriptMessage } from '../../runtime.ts';

const home = mkdtempSync(join(tmpdir(), 'signalbox-transcript-'));
after(() => rmSync(home, { recursive: true }));
const cwd = '/some/place';
const session = '01234567-89ab-cdef-0123-456789abcdef';
const runtime = claudeCliRuntime({ env: { CLAUDE_CONFIG_DIR: home } });

/** Writes a file with these lines and returns the parsed transcript. */
async function read(...lines: readonly (object | string)[]): Promise<readonly TranscriptMessage[] | undefined> {
  const folder = join(home, 'projects', '-some-place');
  mkdirSync(folder, { recursive: true });
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  writeFileSync(join(folder, `${session}.jsonl`), text);
  return await runtime.transcript?.(session, cwd);
}

/** Returns each message as text, with calls by name. */
function toTexts(messages: readonly TranscriptMessage[] | undefined): string[] {
  return (messages ?? []).map(({ role, content }) => {
    const parts = content.map((part) => (part.type === 'tool_call' ? `<${part.toolName}>` : part.text));
    return `${role}: ${parts.join(' ')}`;
  });
}

const timestamp = '2026-11-15T12:00:00.000Z';
const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}): object => ({
  type: 'user',
  uuid,
  parentUuid,
  timestamp,
  message: { role: 'user', content },
  ...more,
});
const assistant = (uuid: string, parentUuid: string | null, id: string, block: object, more: object = {}): object => ({
  type: 'assistant',
  uuid,
  parentUuid,
  timestamp,
  message: { id, role: 'assistant', content: [block] },
  ...more,
});
const textBlock = (text: string): object => ({ type: 'text', text });
const toolUse = (id: string): object => ({ type: 'tool_use', id, name: 'Read', input: { a: 1 } });
const toolResult = (id: string, content: unknown, more: object = {}): object[] => [
  { type: 'tool_result', tool_use_id: id, content, ...more },
];

suite('transcript of Claude Code', { timeout: 300_000 }, () => {
  for (const [name, make] of [
    ['claude', claudeRuntime],
    ['claude-cli', claudeCliRuntime],
  ] as const) {
    test(`${name} reads text, thinking and calls with results, also of resumed and forked sessions`, async () => {
      let tested: Runtime | undefined;
      const place = await openClaudeFixture((options) => (tested = make(options)));
      try {
        place.approve = () => ({ allow: true });
        place.script = ({ userMessages, results }) =>
          results.length > 0
            ? [{ type: 'text', text: `answer to ${userMessages.at(-1)}` }]
            : [
                { type: 'thinking', text: 'hm' },
                { type: 'text', text: 'Let me see.' },
                { type: 'tool_use', name: 'mcp__signalbox__ping', input: {} },
                { type: 'tool_use', name: 'Read', input: { file_path: 'missing.txt' } },
              ];
        const { memory = null } = await place.turn('one');
        const first = await tested?.transcript?.(memory, place.workspace);
        const turn = (text: string): string[] => [
          `user: ${text}`,
          'assistant: hm Let me see. <mcp__signalbox__ping> <Read>',
          `assistant: answer to ${text}`,
        ];
        assert.deepEqual(toTexts(first), turn('one'));
        const [ping, missing] = first?.[1]?.content.filter((part) => part.type === 'tool_call') ?? [];
        assert.equal(ping?.result?.isError, false);
        assert.match(JSON.stringify(ping.result.content), /pong/);
        assert.equal(missing?.result?.isError, true);
        assert.match(JSON.stringify(missing.result.content), /does not exist/);

        const fork = await place.turn('three', { memory, fork: true });
        await place.turn('two', { memory });
        const transcriptOf = async (of: typeof memory): Promise<string[]> =>
          toTexts(await tested?.transcript?.(of, place.workspace));
        assert.deepEqual(await transcriptOf(memory), [...turn('one'), ...turn('two')]);
        assert.deepEqual(await transcriptOf(fork.memory ?? null), [...turn('one'), ...turn('three')]);
      } finally {
        await place.close();
      }
    });
  }
});

suite('parsing of a transcript file', () => {
  test('returns undefined for a missing file and for an invalid session id', async () => {
    assert.equal(await runtime.transcript?.('11111111-89ab-cdef-0123-456789abcdef', cwd), undefined);
    await read(user('a', null, 'hello'));
    writeFileSync(join(home, 'other.jsonl'), JSON.stringify(user('a', null, 'hello')));
    for (const memory of [null, 1, {}, '', '../../other', `../-some-place/${session}`])
      assert.equal(await runtime.transcript?.(memory, cwd), undefined);
  });

  test('finds the file in any project folder', async () => {
    await read(user('a', null, 'hello'));
    assert.deepEqual(toTexts(await runtime.transcript?.(session, '/another/directory')), ['user: hello']);
  });

  test('returns the branch that ends with the last message', async () => {
    const messages = await read(
      user('a', null, 'hello'),
      assistant('b', 'a', 'm1', textBlock('first answer')),
      assistant('c', 'a', 'm2', textBlock('second answer')),
      user('d', 'c', 'go on'),
    );
    assert.deepEqual(toTexts(messages), ['user: hello', 'assistant: second answer', 'user: go on']);
  });

  test('includes all parts of an answer and all results, also from other branches', async () => {
    const messages = await read(
      user('a', null, 'hello'),
      assistant('b', 'a', 'm1', toolUse('t1')),
      assistant('c', 'b', 'm1', toolUse('t2')),
      user('e', 'c', toolResult('t2', 'two', { is_error: true })),
      user(
        'd',
        'b',
        toolResult('t1', [textBlock('one'), { type: 'image', source: { data: 'AA==', media_type: 'image/png' } }]),
      ),
      assistant('f', 'd', 'm2', textBlock('done')),
    );
    assert.deepEqual(messages?.[1]?.content, [
      {
        type: 'tool_call',
        toolCallId: 't1',
        toolName: 'Read',
        input: { a: 1 },
        result: {
          isError: false,
          content: [
            { type: 'text', text: 'one' },
            { type: 'image', data: 'AA==', mimeType: 'image/png' },
          ],
        },
      },
      {
        type: 'tool_call',
        toolCallId: 't2',
        toolName: 'Read',
        input: { a: 1 },
        result: { isError: true, content: [{ type: 'text', text: 'two' }] },
      },
    ]);
    assert.deepEqual(toTexts(messages), ['user: hello', 'assistant: <Read> <Read>', 'assistant: done']);
  });

  test('excludes subagents, reminders and messages of Claude Code itself; continues across a summary', async () => {
    const messages = await read(
      { type: 'queue-operation', operation: 'enqueue' },
      user('a', null, 'hello'),
      { type: 'attachment', uuid: 'b', parentUuid: 'a' },
      user('c', 'b', 'a meta message', { isMeta: true }),
      assistant('d', 'c', 'm1', textBlock('hi')),
      user('s', 'a', 'a subagent', { isSidechain: true }),
      { type: 'system', subtype: 'compact_boundary', uuid: 'e', parentUuid: null, logicalParentUuid: 'd' },
      user('f', 'e', 'a summary', { isCompactSummary: true }),
      user('g', 'f', [textBlock('<system-reminder>x</system-reminder>'), textBlock('next')]),
      assistant('h', 'g', 'm2', textBlock('No response requested.'), {
        message: { id: 'm2', role: 'assistant', model: '<synthetic>', content: [textBlock('No response requested.')] },
      }),
      user('i', 'h', [textBlock('[Request interrupted by user]')]),
    );
    assert.deepEqual(toTexts(messages), ['user: hello', 'assistant: hi', 'user: next']);
  });

  test('skips only incomplete and invalid lines', async () => {
    const messages = await read(
      '\u0000garbage',
      '[]',
      user('a', null, 'hello'),
      { type: 'user', uuid: 7, message: 'x' },
      { type: 'assistant', uuid: 'x', parentUuid: 'a', message: { role: 'assistant', content: { odd: true } } },
      assistant('b', 'a', 'm1', textBlock('hi')),
      '{"type":"user","uuid":"c","parentUuid":"b","mess',
    );
    assert.deepEqual(toTexts(messages), ['user: hello', 'assistant: hi']);
    const cycle = await read(user('a', 'b', 'one'), user('b', 'a', 'two'));
    assert.deepEqual(toTexts(cycle), ['user: one', 'user: two']);
    assert.deepEqual(await read(), []);
  });

  test('reads random content without exceptions', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const block = fc.oneof(
      fc.record({ type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'other'), text: fc.string() }),
      fc.record({ type: fc.constant('tool_use'), id, name: id, input: fc.jsonValue() }),
      fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.jsonValue() }),
      fc.jsonValue(),
    );
    const line = fc.record(
      {
        type: fc.constantFrom('user', 'assistant', 'system'),
        uuid: id,
        parentUuid: fc.option(id),
        message: fc.record({
          id,
          role: fc.constantFrom('user', 'assistant', 'system'),
          content: fc.oneof(fc.string(), fc.array(block)),
        }),
      },
      { requiredKeys: ['type'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(line, fc.jsonValue(), fc.string())), async (lines) => {
        const messages = await read(...lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))));
        assert.ok(messages?.every(({ content }) => content.length > 0));
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});
