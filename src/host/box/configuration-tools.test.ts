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

/** Opens the box of a configuration file; `textOfFile` reads the file. */
async function openPlace(
  t: TestContext,
  approve: Approve,
): Promise<{ box: InternalSignalbox; textOfFile: () => string }> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-offer-'));
  const file = join(directory, 'signalbox.config.json');
  writeFileSync(file, text);
  const data = join(directory, 'data');
  const { box } = await openBoxForDiagnosis(loadConfiguration(file), { data, secretsFrom: data, approve });
  t.after(async () => {
    await box.close();
    rmSync(directory, { recursive: true });
  });
  return { box, textOfFile: () => readFileSync(file, 'utf8') };
}

describe('the configuration tools', () => {
  test('get_config returns references and no secrets', async (t) => {
    const { box } = await openPlace(t, () => ({ allow: false }));
    const { structuredContent } = await box.call(get, { path: 'mcpServers.web.headers' });
    assert.deepEqual((structuredContent as Record<string, unknown>)['value'], {
      'X-Key': '[redacted]',
      'X-Ref': '${secret:REF}',
    });
  });

  test('set_config asks, changes the file, is recorded, and can be undone byte for byte', async (t) => {
    const asked: unknown[] = [];
    const { box, textOfFile } = await openPlace(t, (request) => {
      asked.push(request.arguments);
      return { allow: true };
    });
    const args = { path: 'mcpServers.web.timeoutMs', value: 9000 };
    const changed = await box.call(set, args);
    assert.equal(changed.outcome, 'completed');
    assert.deepEqual(asked, [args]);
    assert.equal(textOfFile(), text.replace('5000', '9000'));
    const record = await box.journal.call(changed.callId);
    assert.deepEqual([record?.arguments, record?.effect], [args, 'undoable']);
    assert.equal((await box.undo.call(changed.callId)).outcome, 'undone');
    assert.equal(textOfFile(), text);
  });

  test('undo does not overwrite later changes', async (t) => {
    const { box, textOfFile } = await openPlace(t, () => ({ allow: true }));
    const first = await box.call(set, { path: 'mcpServers.web.timeoutMs', value: 9000 });
    await box.call(set, { path: 'results.maxBytes', value: 100 });
    const before = textOfFile();
    const undone = await box.undo.call(first.callId);
    assert.deepEqual([undone.outcome, textOfFile()], ['failed', before]);
    assert.match(undone.error ?? '', /was changed since/);
  });

  test('set_config cannot weaken anything, start a program or write an invalid configuration, even when approved', async (t) => {
    const { box, textOfFile } = await openPlace(t, () => ({ allow: true }));
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
    assert.equal(textOfFile(), text);
  });
});
