import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { toolIndex } from '../../src/catalog/search/tool-index.ts';
import { type Signalbox, createSignalbox, mcpServer } from '../../src/index.ts';
import { referenceServer } from '../mcp-servers/programs.ts';
import { distractors } from '../support/boxes/distractors.ts';
import { heldOutRequests, plainRequests } from './plain-requests.ts';

describe('tool search among the reference servers and a thousand other tools', () => {
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

  /** Returns the requests whose tool is not among the first five results. */
  function missedRequests(requests: typeof plainRequests): string[] {
    const tools = [...box.tools(), ...distractors(1000)];
    const index = toolIndex(tools);
    return requests.flatMap(([request, answers]) => {
      const expected = answers.split(' ');
      assert.ok(
        expected.every((each) => tools.some(({ id }) => id.tool === each)),
        `${answers} must be in the catalog`,
      );
      const found = index.search(request, 5).map(({ id }) => id.tool);
      return found.some((each) => expected.includes(each))
        ? []
        : [`${request} → ${answers}, found ${found.join(', ')}`];
    });
  }

  test('has the right tool among the first five results', () => {
    assert.deepEqual(missedRequests(plainRequests), []);
  });

  test('has the right tool among the first five results for nine of ten requests that the ranking was not tuned with', () => {
    const missed = missedRequests(heldOutRequests);
    assert.ok(missed.length <= heldOutRequests.length / 10, missed.join('\n'));
  });
});
