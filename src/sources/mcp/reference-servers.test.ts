import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { referenceServer } from '../../../test/mcp-servers/programs.ts';
import { type McpTransport, type Progress, type Signalbox, createSignalbox, mcpServer } from '../../index.ts';

interface Mounted {
  readonly box: Signalbox;
  readonly directory: string;
}

/** Returns the transport to a server behind a proxy that records all messages to it. */
function recorded({ command, args = [], ...rest }: ReturnType<typeof referenceServer>, file: string): McpTransport {
  return { ...rest, command: '/bin/sh', args: ['-c', 'tee "$0" | "$@"', file, command, ...args] };
}

/** Mounts the four reference servers in one box. */
async function mounted(t: TestContext): Promise<Mounted> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-reference-')));
  const servers = [
    mcpServer({
      name: 'everything',
      transport: recorded(referenceServer('everything'), join(directory, 'everything.jsonl')),
      roots: [{ uri: `file://${directory}`, name: 'notes' }],
      onElicit: () => ({ action: 'accept', content: { name: 'Ada', check: true } }),
      onSample: () => ({ model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled answer' } }),
    }),
    mcpServer({ name: 'files', transport: referenceServer('filesystem', [directory]) }),
    mcpServer({
      name: 'memory',
      transport: referenceServer('memory', [], { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') }),
    }),
    mcpServer({ name: 'thinking', transport: referenceServer('sequential-thinking') }),
  ];
  const box = await createSignalbox({ servers, approve: () => ({ allow: true }), builtin: false });
  t.after(async () => {
    await box.close();
    rmSync(directory, { recursive: true });
  });
  await Promise.all(servers.map((server) => server.ready()));
  return { box, directory };
}

describe('the four reference servers, mounted together', () => {
  test('run every tool through the pipeline', async (t) => {
    const { box, directory } = await mounted(t);
    assert.deepEqual(
      box.catalog().servers.map(({ name, status, tools }) => `${name} ${status} ${tools}`),
      ['everything up 17', 'files up 14', 'memory up 9', 'thinking up 1'],
    );
    const file = join(directory, 'a.txt');
    writeFileSync(file, 'one\ntwo\n');
    const entity = { name: 'Ada', entityType: 'person', observations: ['counts'] };
    const relation = { from: 'Ada', to: 'Ada', relationType: 'is' };
    const calls: readonly (readonly [tool: string, args: object, expected?: RegExp])[] = [
      ['everything__echo', { message: 'hello' }, /hello/],
      ['everything__get-annotated-message', { messageType: 'error' }, /Error/],
      ['everything__get-env', {}, /PATH/],
      ['everything__get-resource-links', { count: 2 }, /resource/],
      ['everything__get-resource-reference', { resourceType: 'Text', resourceId: 1 }, /resource/],
      ['everything__get-structured-content', { location: 'Chicago' }, /temperature/],
      ['everything__get-sum', { a: 2, b: 3 }, /5/],
      ['everything__get-tiny-image', {}, /image/],
      ['everything__gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hi' }, /gz/],
      ['everything__toggle-simulated-logging', {}, /logging/i],
      ['everything__toggle-simulated-logging', {}, /stopp/i],
      ['everything__toggle-subscriber-updates', {}, /start/i],
      ['everything__toggle-subscriber-updates', {}, /stopp/i],
      ['everything__trigger-long-running-operation', { duration: 0.1, steps: 2 }, /completed/],
      ['everything__get-roots-list', {}, /notes/],
      ['everything__trigger-elicitation-request', {}, /Ada/],
      ['everything__trigger-url-elicitation', { url: 'https://example.org/', message: 'Look.' }, /accept/],
      ['everything__trigger-sampling-request', { prompt: 'hi', maxTokens: 10 }, /sampled answer/],
      ['files__create_directory', { path: join(directory, 'sub') }],
      ['files__write_file', { path: join(directory, 'b.txt'), content: 'three' }],
      ['files__edit_file', { path: file, edits: [{ oldText: 'two', newText: 'zwei' }] }, /zwei/],
      ['files__read_file', { path: file }, /zwei/],
      ['files__read_text_file', { path: file, head: 1 }, /one/],
      ['files__read_media_file', { path: file }],
      ['files__read_multiple_files', { paths: [file, join(directory, 'b.txt')] }, /three/],
      ['files__list_directory', { path: directory }, /a\.txt/],
      ['files__list_directory_with_sizes', { path: directory }, /a\.txt/],
      ['files__directory_tree', { path: directory }, /sub/],
      ['files__move_file', { source: join(directory, 'b.txt'), destination: join(directory, 'sub', 'c.txt') }],
      ['files__search_files', { path: directory, pattern: '**/c.txt' }, /c\.txt/],
      ['files__get_file_info', { path: file }, /size/],
      ['files__list_allowed_directories', {}, /signalbox-reference/],
      ['memory__create_entities', { entities: [entity] }, /Ada/],
      ['memory__create_relations', { relations: [relation] }, /is/],
      ['memory__add_observations', { observations: [{ entityName: 'Ada', contents: ['writes'] }] }, /writes/],
      ['memory__read_graph', {}, /writes/],
      ['memory__search_nodes', { query: 'Ada' }, /counts/],
      ['memory__open_nodes', { names: ['Ada'] }, /counts/],
      ['memory__delete_observations', { deletions: [{ entityName: 'Ada', observations: ['writes'] }] }],
      ['memory__delete_relations', { relations: [relation] }],
      ['memory__delete_entities', { entityNames: ['Ada'] }],
      [
        'thinking__sequentialthinking',
        { thought: 'so', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        /thoughtHistoryLength/,
      ],
    ];
    for (const [tool, args, expected] of calls) {
      const result = await box.call(`mcp__${tool}`, args);
      assert.equal(result.outcome, 'completed', `${tool}: ${JSON.stringify(result)}`);
      if (expected !== undefined) assert.match(JSON.stringify(result.content), expected, tool);
    }
    assert.equal(readFileSync(join(directory, 'sub', 'c.txt'), 'utf8'), 'three');

    // The tool must run as a task, which the protocol has since removed. Signalbox reports that.
    const research = await box.call('mcp__everything__simulate-research-query', { topic: 'signals' });
    assert.equal(research.outcome, 'failed');
    assert.match(research.error?.message ?? '', /task/i);

    const called = new Set([...calls.map(([tool]) => `mcp__${tool}`), 'mcp__everything__simulate-research-query']);
    assert.deepEqual(
      box.tools().filter((tool) => !called.has(tool.name)),
      [],
    );
  });

  test('lose exactly the tools of a removed server', async (t) => {
    const { box } = await mounted(t);
    const others = box.tools().filter((tool) => tool.id.server !== 'memory');
    await box.servers.remove('memory');
    assert.deepEqual(box.tools(), others);
  });

  test('report progress, and receive cancellations', async (t) => {
    const { box, directory } = await mounted(t);
    const received = () =>
      readFileSync(join(directory, 'everything.jsonl'), 'utf8')
        .split('\n')
        // The last line is empty or incomplete.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { id?: string; method?: string; params?: { requestId?: string } });
    const steps: Progress[] = [];
    const operation = 'mcp__everything__trigger-long-running-operation';
    const result = await box.call(operation, { duration: 0.4, steps: 4 }, { onProgress: (step) => steps.push(step) });
    assert.equal(result.outcome, 'completed');
    assert.deepEqual(
      steps.map(({ progress, total }) => [progress, total]),
      [1, 2, 3, 4].map((step) => [step, 4]),
    );
    const cancellation = new AbortController();
    const cancelled = box.call(operation, { duration: 60, steps: 60 }, { signal: cancellation.signal });
    const calls = () => received().filter(({ method }) => method === 'tools/call');
    await until(() => calls().length === 2, 'the second call has arrived');
    cancellation.abort();
    assert.equal((await cancelled).outcome, 'cancelled');
    assert.equal((await box.call('mcp__everything__echo', { message: 'on' })).outcome, 'completed');
    assert.deepEqual(
      received().flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params?.requestId] : [])),
      [calls()[1]?.id],
    );
  });
});
