import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { ConfigurationError } from '../configuration-error.ts';
import { ToolCallEdits } from './tool-call-edits.ts';

const text = `\ufeff{
  // slow ones
  "mcpServers": { "a": { "command": "x", "env": { "T": "hunter22" }, "timeoutMs": 5 } }, // all
}
`;

function place(t: TestContext, given: string | undefined = text): { file: string; kept: string; edits: ToolCallEdits } {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-edits-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'signalbox.config.json');
  const kept = join(directory, 'data', 'edits');
  if (given !== '') writeFileSync(file, given, { mode: 0o640 });
  return {
    file,
    kept,
    edits: new ToolCallEdits(
      () => file,
      kept,
      (json) => json.replaceAll('known', '[redacted]'),
    ),
  };
}

const path = ['mcpServers', 'a', 'timeoutMs'];
const now = (file: string): string => readFileSync(file, 'utf8');

describe('a configuration that calls change', () => {
  test('is changed in that place alone, and brought back byte for byte', (t) => {
    const { file, kept, edits } = place(t);
    edits.change('call_1', path, 9);
    assert.equal(now(file), text.replace('"timeoutMs": 5', '"timeoutMs": 9'));
    assert.equal(statSync(join(kept, 'call_1.json')).mode & 0o777, 0o600);
    edits.change('call_2', path, undefined);
    assert.throws(() => edits.undo('call_1', false), { code: 'undo-unavailable', message: /was changed since call_1/ });
    edits.undo('call_2', false);
    edits.undo('call_1', false);
    assert.equal(now(file), text);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    edits.undo('call_1', false);
    assert.equal(now(file), text, 'what is undone already stays');
  });

  test('stays as it is when the result could not be used, and there is nothing to undo', (t) => {
    const { file, edits } = place(t);
    assert.throws(() => edits.change('call_1', path, -1), ConfigurationError);
    assert.throws(() => edits.change('call_2', ['mcpServers', 'b', 'timeoutMs'], 1), ConfigurationError);
    assert.equal(now(file), text);
    edits.undo('call_1', true);
    edits.undo('call_9', true);
    assert.equal(now(file), text);
  });

  test('that was edited by a human since is not overwritten', (t) => {
    const { file, edits } = place(t);
    edits.change('call_1', path, 9);
    const edited = now(file).replace('slow', 'fast');
    writeFileSync(file, edited);
    assert.throws(() => edits.undo('call_1', false), { code: 'undo-unavailable' });
    assert.equal(now(file), edited);
  });

  test('is made where there is none, and is gone again after the undo', (t) => {
    const { file, edits } = place(t, '');
    assert.deepEqual(edits.read(), {});
    edits.change('call_1', ['results', 'maxBytes'], 9);
    assert.deepEqual(edits.read()['results'], { maxBytes: 9 });
    edits.undo('call_1', false);
    assert.throws(() => now(file), { code: 'ENOENT' });
  });

  test('an edit that is not stored anymore is not reported as undone', (t) => {
    const { edits, kept } = place(t);
    edits.change('call_1', path, 9);
    utimesSync(join(kept, 'call_1.json'), 1, 1);
    edits.change('call_2', path, 10);
    assert.deepEqual(readdirSync(kept), ['call_2.json']);
    assert.throws(() => edits.undo('call_1', false), /is not stored anymore/);
  });

  test('is shown without secrets, those that only the box knows too', (t) => {
    const { edits } = place(t, '{ "mcpServers": { "known": { "command": "x", "env": { "T": "hunter22" } } } }');
    assert.deepEqual(edits.read(), { mcpServers: { '[redacted]': { command: 'x', env: { T: '[redacted]' } } } });
    const broken = place(t, '{ "mcpServers": ');
    assert.throws(() => broken.edits.read(), { code: 'setting-unknown' });
  });
});
