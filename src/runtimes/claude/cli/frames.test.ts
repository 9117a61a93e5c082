import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openClaudeFixture } from '../../../../test/support/runtime/claude-fixture.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { findExecutable } from '../shared/installation.ts';
import type { ClaudeCodeOptions } from '../shared/claude-options.ts';
import { claudeRuntime } from '../sdk/claude-runtime.ts';
import type { Runtime } from '../../runtime.ts';
import { claudeCliRuntime } from './claude-cli-runtime.ts';

/** A proxy in place of Claude Code that records its input and forwards it. */
const recorder = `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const { RECORDING, REAL_CLAUDE } = process.env;
appendFileSync(RECORDING, JSON.stringify({ argv: process.argv.slice(2) }) + '\\n');
const child = require('node:child_process').spawn(REAL_CLAUDE, process.argv.slice(2), { stdio: ['pipe', 'inherit', 'inherit'] });
process.stdin.on('data', (data) => { appendFileSync(RECORDING, data); child.stdin.write(data); });
process.stdin.on('end', () => child.stdin.end());
child.on('exit', (code) => process.exit(code ?? 1));
`;

/** Returns the frames that a runtime sends to Claude Code in two turns with calls of every kind, without random ids. */
async function recordFrames(
  directory: string,
  make: (options: ClaudeCodeOptions) => Runtime,
  file: string,
): Promise<JsonObject[]> {
  const recording = join(directory, file);
  const place = await openClaudeFixture((options) =>
    make({
      ...options,
      executable: join(directory, 'claude'),
      limits: { steps: 5, costUsd: 2 },
      env: { ...options.env, RECORDING: recording, REAL_CLAUDE: findExecutable('') ?? '' },
    }),
  );
  try {
    place.approve = ({ tool }) => ({ allow: tool.id.tool !== 'Write', reason: 'no' });
    place.calls(
      ['mcp__signalbox__ping', { odd: true }],
      ['mcp__local__slow', {}],
      ['Bash', { command: 'echo hello', description: 'prints a text' }],
      ['Write', { file_path: 'a.txt', content: 'x' }],
    );
    const { memory, errors } = await place.turn('go', { instructions: 'Be kind.', model: 'some-model' });
    assert.deepEqual(errors, []);
    place.script = () => [{ type: 'text', text: 'done' }];
    await place.turn('again', { memory: memory ?? '', fork: true });
    const session = new RegExp(typeof memory === 'string' ? memory : 'none', 'g');
    return readFileSync(recording, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line.replaceAll(session, 'SESSION')) as JsonObject)
      .map(withoutIds);
  } finally {
    await place.close();
  }
}

function withoutIds(frame: JsonObject): JsonObject {
  const { request_id: _, response, ...rest } = frame;
  if (typeof response !== 'object' || response === null) return rest;
  const text = JSON.stringify({ ...response, request_id: '' })
    // Pings and durations vary between runs.
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'WHEN')
    .replaceAll(/after \d+ ms/g, 'after N ms')
    .replaceAll(/"id":\d+/g, '"id":0');
  return { ...rest, response: JSON.parse(text) as JsonObject };
}

test('claude-cli sends the same frames to Claude Code as the SDK', async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-frames-')));
  try {
    writeFileSync(join(directory, 'claude'), recorder, { mode: 0o755 });
    const [sdk, cli] = await Promise.all([
      recordFrames(directory, claudeRuntime, 'sdk'),
      recordFrames(directory, claudeCliRuntime, 'cli'),
    ]);
    // The responses to concurrent requests arrive in any order.
    const sorted = (frames: JsonObject[]): string[] =>
      frames.map((frame) => JSON.stringify(sortedKeys(frame))).toSorted((a, b) => a.localeCompare(b));
    assert.deepEqual(sorted(cli), sorted(sdk));
    const kinds = new Set(cli.map((frame) => frame['type'] ?? 'argv'));
    assert.deepEqual([...kinds], ['argv', 'control_request', 'user', 'control_response']);
    assert.ok(cli.length > 10, 'there are frames to compare');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(entries.map(([key, each]) => [key, sortedKeys(each)]));
}
