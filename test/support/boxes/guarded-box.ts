import assert from 'node:assert/strict';
import type { InternalSignalbox } from '../../../src/signalbox/internal-signalbox.ts';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openConfiguredBox } from '../../../src/host/box/open-box.ts';
import { parseConfiguration } from '../../../src/config/file/load-configuration.ts';
import type { ApprovalRequest } from '../../../src/core/calls/approval.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';
import type { PermissionMode } from '../../../src/core/calls/permission-mode.ts';
import { toBuiltInTool } from '../../../src/runtimes/claude/shared/built-in-tools.ts';
import { type RuntimeTools, runtimeTools } from '../../../src/runtimes/runtime-tools.ts';
import { turnTools } from '../../../src/runtimes/turn-tools.ts';
import { referenceServer } from '../../mcp-servers/programs.ts';

/** The outcome of a call, and the approval requests for it. */
export interface Attempt {
  readonly outcome: string;
  readonly reason: string;
  readonly requests: readonly ApprovalRequest[];
}

/**
 * A project whose rules allow every call, with a real filesystem server, the built-in tools of Claude, and a human who denies.
 */
export class GuardedBox {
  readonly project: string;
  readonly data: string;
  readonly box: InternalSignalbox;
  readonly #own: RuntimeTools;
  readonly #requests: ApprovalRequest[];
  #calls = 0;

  private constructor(directory: string, box: InternalSignalbox, requests: ApprovalRequest[]) {
    this.project = join(directory, 'project');
    this.data = join(directory, 'home', '.signalbox');
    this.box = box;
    this.#requests = requests;
    this.#own = runtimeTools('claude');
    box.servers.add(this.#own);
  }

  /** Opens a guarded box in new directories, closed with the test or test file `t`. */
  static async open(
    t: { after(close: () => Promise<void>): void },
    {
      store = 'sqlite',
      answer = 'no',
      servers = {},
      more = {},
    }: {
      readonly store?: string;
      readonly answer?: 'yes' | 'no' | 'none';
      /** Additional entries of `mcpServers`. */
      readonly servers?: JsonObject;
      /** Additional files of the project. */
      readonly more?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<GuardedBox> {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-guarded-')));
    const [project, data] = [join(directory, 'project'), join(directory, 'home', '.signalbox')];
    const { command, args = [] } = referenceServer('filesystem', [directory]);
    const files: Readonly<Record<string, string>> = {
      'rules/policies.yaml': '- { id: all, match: "*", allow: true }\n',
      'tools/notes.mjs': `import { name } from './name.mjs';
        const description = 'Reads or writes.';
        const input = { type: 'object' };
        export default [
          { name, description, effect: 'undoable', input, run: () => 'written' },
          { name: 'read', description, effect: 'read', input, run: () => 'read' },
          { name: 'run', description, effect: 'irreversible', input, run: () => 'run' },
        ];\n`,
      'tools/name.mjs': `export const name = 'write';\n`,
      'scripts/server.mjs': `import ${JSON.stringify(args[0])};\n`,
      'signalbox.config.json': JSON.stringify({
        store,
        policies: 'rules/policies.yaml',
        mcpServers: {
          files: {
            command,
            args: ['scripts/server.mjs', directory],
            tools: { effect: { '*': 'undoable', 'read_*': 'read' } },
          },
          notes: { module: './tools/notes.mjs', workspace: ['src'] },
          ...servers,
        },
      }),
      'src/a.txt': 'a\n',
      ...more,
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text);
    }
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'token'), 'planted-token');
    const file = join(project, 'signalbox.config.json');
    const requests: ApprovalRequest[] = [];
    const configured = await openConfiguredBox(parseConfiguration(files['signalbox.config.json'] ?? '', file), {
      data,
      secretsFrom: data,
      approve: (request) => {
        requests.push(request);
        if (answer === 'none') return new Promise(() => undefined);
        return { allow: answer === 'yes', by: { id: 'ann', kind: 'human' } };
      },
    });
    t.after(async () => {
      await configured.close({ graceMs: 0 });
      rmSync(directory, { recursive: true });
    });
    return new GuardedBox(directory, configured.box, requests);
  }

  /** Calls a tool as an agent. */
  async call(tool: string, args: JsonObject): Promise<Attempt> {
    const before = this.#requests.length;
    const { outcome, error, content } = await this.box.call(tool, args, {
      session: 's',
      principal: { id: 'agent', kind: 'agent' },
    });
    return { outcome, reason: error?.message ?? JSON.stringify(content), requests: this.#requests.slice(before) };
  }

  /** Requests one of Claude's built-in tools, which does nothing when it is allowed. */
  async claude(name: string, input: JsonObject, permissionMode: PermissionMode = 'default'): Promise<Attempt> {
    const before = this.#requests.length;
    const tools = turnTools({
      box: this.box,
      own: this.#own,
      session: 's',
      principal: { id: 'ann/claude', kind: 'agent' },
      permissionMode,
      cwd: this.project,
    });
    const toolCallId = String((this.#calls += 1));
    const call = await tools.begin(toBuiltInTool(name, input, this.project, this.data), input, { toolCallId });
    if (call.allowed) await call.end({ outcome: 'completed', output: '' });
    return {
      outcome: call.allowed ? 'completed' : 'denied',
      reason: call.allowed ? '' : call.reason,
      requests: this.#requests.slice(before),
    };
  }
}

/** Asserts that the guard denied a call because of the data directory, without a question. */
export function assertDenied({ outcome, reason, requests }: Attempt, label: string): void {
  assert.deepEqual([outcome, requests.length], ['denied', 0], `${label}: ${reason}`);
  assert.match(reason, /default:data-directory/, label);
}

/** Asserts that a call asked once because of a protected file. */
export function assertAsked({ outcome, reason, requests }: Attempt, label: string): void {
  assert.deepEqual([outcome, requests.length], ['denied', 1], `${label}: ${reason}`);
  assert.equal(requests[0]?.decision.rule, 'default:protected-file', label);
}

/** Asserts that a call ran without a question. */
export function assertRan({ outcome, reason, requests }: Attempt, label: string): void {
  assert.deepEqual([outcome, requests.length], ['completed', 0], `${label}: ${reason}`);
}
