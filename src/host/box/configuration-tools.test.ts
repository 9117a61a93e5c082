import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { loadConfiguration } from '../../config/file/load-configuration.ts';
import type { Approve } from '../../core/calls/approval.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { openBoxForDiagnosis } from './open-box.ts';

const text = `{
  // do not touch
  "mcpServers": {
    "web": { "url": "https://example.com/mcp", "headers": { "X-Key": "hunter22222", "X-Ref": "\${secret:REF}" }, "disabled": true, "timeoutMs": 5000 }
  }
}
`;
const get = 'mcp__signalbox__get_config';
const set = 'mcp__signalbox__set_config';

async function place(
  t: TestContext,
  approve: Approve,
): Promise<{ box: InternalSignalbox; now: () => string; data: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-offer-'));
  const file = join(directory, 'signalbox.config.json');
  writeFileSync(file, text);
  const data = join(directory, 'data');
  const { box } = await openBoxForDiagnosis(loadConfiguration(file), { data, secretsFrom: data, approve });
  t.after(async () => {
    await box.close();
    rmSync(directory, { recursive: true });
  });
  return { box, now: () => readFileSync(file, 'utf8'), data };
}

describe('agents and the configuration', () => {
  test('get_config shows references and no secrets', async (t) => {
    const { box } = await place(t, () => ({ allow: false }));
    const { structuredContent } = await box.call(get, { path: 'mcpServers.web.headers' });
    assert.deepEqual((structuredContent as Record<string, unknown>)['value'], {
      'X-Key': '[redacted]',
      'X-Ref': '${secret:REF}',
    });
  });

  test('set_config asks, changes the file, is recorded, and is undone byte for byte', async (t) => {
    const asked: unknown[] = [];
    const { box, now } = await place(t, (request) => {
      asked.push(request.arguments);
      return { allow: true };
    });
    const args = { path: 'mcpServers.web.timeoutMs', value: 9000 };
    const changed = await box.call(set, args);
    assert.equal(changed.outcome, 'completed');
    assert.deepEqual(asked, [args]);
    assert.equal(now(), text.replace('5000', '9000'));
    const record = await box.journal.call(changed.callId);
    assert.deepEqual([record?.arguments, record?.effect], [args, 'undoable']);
    assert.equal((await box.undo.call(changed.callId)).outcome, 'undone');
    assert.equal(now(), text);
  });

  test('what a human changed since is not overwritten by the undo', async (t) => {
    const { box, now } = await place(t, () => ({ allow: true }));
    const first = await box.call(set, { path: 'mcpServers.web.timeoutMs', value: 9000 });
    await box.call(set, { path: 'results.maxBytes', value: 100 });
    const before = now();
    const undone = await box.undo.call(first.callId);
    assert.deepEqual([undone.outcome, now()], ['failed', before]);
    assert.match(undone.error ?? '', /was changed since/);
  });

  test('set_config cannot loosen anything, start a program or write what could not be used, even when it is allowed', async (t) => {
    const { box, now } = await place(t, () => ({ allow: true }));
    for (const args of [
      { path: 'policies', value: [] },
      { path: 'mcpServers.evil', value: { command: 'sh', args: ['-c', 'true'] } },
      { path: 'mcpServers.web.disabled', value: false },
      { path: 'mcpServers.web.url', value: 'https://evil.example/mcp' },
      { path: 'mcpServers.web.timeoutMs', value: -1 },
      { path: 'mcpServers.other.timeoutMs', value: 1 },
    ]) {
      const { outcome, content } = await box.call(set, args);
      assert.equal(outcome, 'failed', JSON.stringify(content));
      assert.ok(!JSON.stringify(content).includes('hunter22222'));
    }
    assert.equal(now(), text);
  });
});
