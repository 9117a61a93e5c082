import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { ConfigurationError } from '../configuration-error.ts';
import { ToolCallEdits } from './tool-call-edits.ts';

const text = `\ufeff{
  // slow servers
  "mcpServers": { "a": { "command": "x", "env": { "T": "hunter22" }, "timeoutMs": 5 } }, // all
}
`;

/** Creates a configuration file; an empty text creates none. `stored` is the directory of the stored edits. */
function createPlace(t: TestContext, content = text): { file: string; stored: string; edits: ToolCallEdits } {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-edits-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'signalbox.config.json');
  const stored = join(directory, 'data', 'edits');
  if (content !== '') writeFileSync(file, content, { mode: 0o640 });
  return {
    file,
    stored,
    edits: new ToolCallEdits(
      () => file,
      stored,
      (json) => json.replaceAll('known', '[redacted]'),
    ),
  };
}

const path = ['mcpServers', 'a', 'timeoutMs'];
const textOf = (file: string): string => readFileSync(file, 'utf8');

describe('ToolCallEdits', () => {
  test('changes only the given path, and undo restores the file byte for byte', (t) => {
    const { file, stored, edits } = createPlace(t);
    edits.change('call_1', path, 9);
    assert.equal(textOf(file), text.replace('"timeoutMs": 5', '"timeoutMs": 9'));
    assert.equal(statSync(join(stored, 'call_1.json')).mode & 0o777, 0o600);
    edits.change('call_2', path, undefined);
    assert.throws(() => edits.undo('call_1', false), { code: 'undo-unavailable', message: /was changed since call_1/ });
    edits.undo('call_2', false);
    edits.undo('call_1', false);
    assert.equal(textOf(file), text);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    edits.undo('call_1', false);
    assert.equal(textOf(file), text, 'a second undo changed the file');
  });

  test('leaves the file unchanged when the result is invalid, and has nothing to undo', (t) => {
    const { file, edits } = createPlace(t);
    assert.throws(() => edits.change('call_1', path, -1), ConfigurationError);
    assert.throws(() => edits.change('call_2', ['mcpServers', 'b', 'timeoutMs'], 1), ConfigurationError);
    assert.equal(textOf(file), text);
    edits.undo('call_1', true);
    edits.undo('call_9', true);
    assert.equal(textOf(file), text);
  });

  test('does not overwrite later edits of a human', (t) => {
    const { file, edits } = createPlace(t);
    edits.change('call_1', path, 9);
    const edited = textOf(file).replace('slow', 'fast');
    writeFileSync(file, edited);
    assert.throws(() => edits.undo('call_1', false), { code: 'undo-unavailable' });
    assert.equal(textOf(file), edited);
  });

  test('creates a missing file, and undo removes it', (t) => {
    const { file, edits } = createPlace(t, '');
    assert.deepEqual(edits.read(), {});
    edits.change('call_1', ['results', 'maxBytes'], 9);
    assert.deepEqual(edits.read()['results'], { maxBytes: 9 });
    edits.undo('call_1', false);
    assert.throws(() => textOf(file), { code: 'ENOENT' });
  });

  test('rejects an undo whose edit is no longer stored', (t) => {
    const { edits, stored } = createPlace(t);
    edits.change('call_1', path, 9);
    utimesSync(join(stored, 'call_1.json'), 1, 1);
    edits.change('call_2', path, 10);
    assert.deepEqual(readdirSync(stored), ['call_2.json']);
    assert.throws(() => edits.undo('call_1', false), /is no longer stored/);
  });

  test('reads the file without secrets, including those that only the box knows', (t) => {
    const { edits } = createPlace(t, '{ "mcpServers": { "known": { "command": "x", "env": { "T": "hunter22" } } } }');
    assert.deepEqual(edits.read(), { mcpServers: { '[redacted]': { command: 'x', env: { T: '[redacted]' } } } });
    const broken = createPlace(t, '{ "mcpServers": ');
    assert.throws(() => broken.edits.read(), { code: 'setting-unknown' });
  });
});
