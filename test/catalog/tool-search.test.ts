import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { toolIndex } from '../../src/catalog/search/tool-index.ts';
import { type Signalbox, createSignalbox, mcpServer } from '../../src/index.ts';
import { referenceServer } from '../mcp-servers/programs.ts';
import { distractors } from '../support/boxes/distractors.ts';
import { plainRequests, unseenRequests } from './plain-requests.ts';

describe('the right tool for a plain request, among those of the reference servers and a thousand others', () => {
  let box: Signalbox;
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-search-'));
  before(async () => {
    const names = ['everything', 'filesystem', 'memory', 'sequential-thinking'] as const;
    const servers = names.map((name) =>
      mcpServer({ name, transport: referenceServer(name, name === 'filesystem' ? [directory] : []) }),
    );
    box = await createSignalbox({ servers });
    await Promise.all(servers.map((server) => server.ready()));
  });
  after(async () => {
    await box.close();
    rmSync(directory, { recursive: true });
  });

  /** The requests whose tool is not among the first five. */
  function missed(requests: typeof plainRequests): string[] {
    const tools = [...box.tools(), ...distractors(1000)];
    const index = toolIndex(tools);
    return requests.flatMap(([request, right]) => {
      const wanted = right.split(' ');
      assert.ok(
        wanted.every((each) => tools.some(({ id }) => id.tool === each)),
        `${right} is there`,
      );
      const found = index.search(request, 5).map(({ id }) => id.tool);
      return found.some((each) => wanted.includes(each)) ? [] : [`${request} → ${right}, found ${found.join(', ')}`];
    });
  }

  test('is among the first five', () => {
    assert.deepEqual(missed(plainRequests), []);
  });

  test('is among the first five for most requests that the ranking was not made with', () => {
    const wrong = missed(unseenRequests);
    assert.ok(wrong.length <= unseenRequests.length / 10, wrong.join('\n'));
  });
});
