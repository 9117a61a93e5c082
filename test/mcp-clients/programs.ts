import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { findExecutable } from '../../src/runtimes/claude/shared/installation.ts';
import { claudeEnvironment } from '../support/runtime/claude.ts';
import { type MessagesRequest, toModelInput, startMessagesServer } from '../support/model/messages-server.ts';
import type { ScriptedInput } from '../support/model/model-script.ts';

/** Runs a program and resolves with its output when it exits. */
export const run = promisify(execFile);

/** Creates a temporary directory, which is removed when the test ends. */
export function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-mcp-clients-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The tools and results that the model received, and the request that contained them. */
interface ModelInput extends ScriptedInput {
  readonly request: MessagesRequest;
}

/** Runs a turn of the Claude CLI that calls one tool of an endpoint. Resolves with the input of its model. */
export async function claudeTurn(
  t: TestContext,
  server: { readonly url: string; readonly token: string },
  [tool, input]: readonly [tool: string, input: object],
): Promise<ModelInput> {
  const home = temporary(t);
  const name = `mcp__box__${tool}`;
  let last: ModelInput | undefined;
  const api = await startMessagesServer((request) => {
    const received = toModelInput(request);
    if (received.tools.includes(name)) last = { ...received, request };
    return received.results.length > 0 ? [{ type: 'text', text: 'done' }] : [{ type: 'tool_use', name, input }];
  });
  try {
    const box = {
      type: 'http',
      url: server.url,
      headers: { Authorization: `Bearer ${server.token}` },
      alwaysLoad: true,
    };
    const file = join(home, 'servers.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { box } }));
    const options = ['--mcp-config', file, '--strict-mcp-config', '--allowedTools', name];
    const running = run(findExecutable() ?? 'claude', ['--print', 'go', ...options], {
      cwd: home,
      env: claudeEnvironment(api.url, home),
    });
    running.child.stdin?.end();
    const { stdout } = await running;
    assert.equal(stdout.trim(), 'done');
  } finally {
    await api.close();
  }
  return last ?? assert.fail(`the model did not receive the tool ${name}`);
}

const require = createRequire(import.meta.url);
/** The path of the MCP Inspector. */
export const inspector = join(
  dirname(require.resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);

/** Requests a method of a server with the MCP Inspector, and resolves with its result. */
export async function inspect(t: TestContext, target: readonly string[], method: readonly string[]): Promise<unknown> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: temporary(t) };
  const options = [...method, '--stored-auth-only', '--format', 'json'];
  const { stdout } = await run(process.execPath, [inspector, '--cli', ...target, '--method', ...options], { env });
  return (JSON.parse(stdout) as { result: unknown }).result;
}
