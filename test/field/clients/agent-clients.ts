import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findExecutable } from '../../../src/runtimes/claude/shared/installation.ts';
import { claudeEnvironment } from '../../support/runtime/claude.ts';
import { toModelInput, startMessagesServer } from '../../support/model/messages-server.ts';
import type { ModelApi } from '../../support/model/api-server.ts';
import { startGeminiApi } from '../../support/model/gemini-api.ts';
import type { ScriptedInput, ModelScript } from '../../support/model/model-script.ts';
import { startOpenAIApi } from '../../support/model/openai-api.ts';
import { toClientResult, type WireResult } from './sdk-clients.ts';
import type { ConnectedClient, ClientCallResult, StepName } from './steps.ts';
import { type FieldClient, type Target } from './target.ts';

/** The program of one agent turn. It uses the scripted model at `apiUrl` and exits. */
interface AgentProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Agent {
  readonly name: string;
  readonly package?: string;
  startApi(script: ModelScript): Promise<ModelApi<unknown>>;
  program(target: Target, apiUrl: string): AgentProgram;
  readonly unable?: Partial<Record<StepName, string>>;
}

const turnTimeoutMs = 110_000;
const withoutUser = {
  progress: 'not tried: no person watches a scripted turn',
  elicit: 'not tried: no person answers in a scripted turn',
};

/** Agents that run in a terminal, with a scripted model instead of a provider. */
const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    startApi: (script) => startMessagesServer((request) => script(toModelInput(request))),
    program(target, apiUrl) {
      const file = join(target.home, 'servers.json');
      writeFileSync(
        file,
        JSON.stringify({ mcpServers: { box: { type: 'http', ...remote(target), alwaysLoad: true } } }),
      );
      const options = ['--mcp-config', file, '--strict-mcp-config', '--allowedTools', 'mcp__box'];
      return {
        command: findExecutable() ?? 'claude',
        args: ['--print', 'go', ...options],
        env: claudeEnvironment(apiUrl, target.home),
      };
    },
    unable: withoutUser,
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli@0.61.0',
    startApi: startGeminiApi,
    program(target, apiUrl) {
      const settings = {
        mcpServers: { box: { httpUrl: target.url, headers: remote(target).headers, trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      };
      mkdirSync(join(target.home, '.gemini'), { recursive: true });
      writeFileSync(join(target.home, '.gemini', 'settings.json'), JSON.stringify(settings));
      return {
        command: process.execPath,
        args: [
          target.cache.programOf('@google/gemini-cli@0.61.0'),
          '--prompt',
          'go',
          '--approval-mode',
          'yolo',
          '--model',
          'gemini-2.5-flash',
        ],
        env: {
          ...ownHome(target),
          GEMINI_API_KEY: 'dummy',
          GOOGLE_GEMINI_BASE_URL: apiUrl,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
        },
      };
    },
    unable: { ...withoutUser, cancel: 'an interrupt of a scripted turn did not reach the server' },
  },
  {
    name: 'Codex',
    package: '@openai/codex@0.166.0',
    startApi: startOpenAIApi,
    program(target, apiUrl) {
      const settings = [
        'model = "scripted"',
        'model_provider = "scripted"',
        'approval_policy = "never"',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${apiUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        '[mcp_servers.box]',
        `url = "${target.url}"`,
        'bearer_token_env_var = "BOX_TOKEN"',
        'default_tools_approval_mode = "approve"',
      ];
      writeFileSync(join(target.home, 'config.toml'), settings.join('\n'));
      return {
        command: process.execPath,
        args: [target.cache.programOf('@openai/codex@0.166.0'), 'exec', '--skip-git-repo-check', 'go'],
        env: { ...ownHome(target), CODEX_HOME: target.home, SCRIPTED_KEY: 'dummy', BOX_TOKEN: target.token },
      };
    },
    unable: withoutUser,
  },
  {
    name: 'opencode',
    package: 'opencode-ai@1.18.33',
    startApi: startOpenAIApi,
    program(target, apiUrl) {
      const settings = {
        model: 'scripted/scripted',
        autoupdate: false,
        share: 'disabled',
        permission: { '*': 'allow' },
        mcp: { box: { type: 'remote', ...remote(target), oauth: false } },
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${apiUrl}/v1`, apiKey: 'dummy' },
            models: {
              scripted: {
                name: 'scripted',
                tool_call: true,
                attachment: true,
                modalities: { input: ['text', 'image'], output: ['text'] },
                limit: { context: 1_000_000, output: 100_000 },
              },
            },
          },
        },
      };
      writeFileSync(join(target.home, 'opencode.json'), JSON.stringify(settings));
      const packages = join(target.cache.directoryOf('opencode-ai@1.18.33'), 'node_modules');
      const platform = `opencode-${process.platform}-${process.arch}`;
      return {
        command: join(packages, platform, 'bin', 'opencode'),
        args: ['run', 'go'],
        env: {
          ...ownHome(target),
          OPENCODE_CONFIG: join(target.home, 'opencode.json'),
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          OPENCODE_DISABLE_MODELS_FETCH: '1',
        },
      };
    },
    unable: withoutUser,
  },
];

/** The agents as clients. */
export const agentClients: readonly FieldClient[] = [
  ...agents.map((agent): FieldClient => ({
    name: agent.name,
    ...(agent.package === undefined ? {} : { package: agent.package }),
    connect: (target) => connectAgent(agent, target),
  })),
  { name: 'Inspector CLI', connect: (target) => Promise.resolve(inspector(target)) },
];

/** Connects an agent. Each call is a turn in which the scripted model makes the call once, and responds to its result. */
async function connectAgent(agent: Agent, target: Target): Promise<ConnectedClient> {
  let requested: { readonly tool: string; readonly args: object } | undefined;
  let lastInput: ScriptedInput | undefined;
  let isCalled = false;
  const api = await agent.startApi((now) => {
    // Agents also request titles and summaries, without any tools.
    if (now.tools.length === 0) return [{ type: 'text', text: 'done' }];
    lastInput = now;
    const name = requested === undefined ? undefined : now.tools.find((each) => each.endsWith(requested?.tool ?? ''));
    if (requested === undefined || name === undefined || isCalled) return [{ type: 'text', text: 'done' }];
    isCalled = true;
    return [{ type: 'tool_use', name, input: requested.args }];
  });
  const turn = async (signal?: AbortSignal): Promise<string> => {
    lastInput = undefined;
    isCalled = false;
    return runProgram(agent.program(target, api.url), target.home, signal);
  };
  return {
    async list() {
      requested = undefined;
      const output = await turn();
      if (lastInput === undefined) throw new Error(`the model got no request: ${output.slice(-500)}`);
      return lastInput.tools;
    },
    async call(tool, args, { signal } = {}): Promise<ClientCallResult> {
      requested = { tool, args };
      const output = await turn(signal);
      if (!isCalled) throw new Error(`${tool} was not offered to the model: ${output.slice(-500)}`);
      const { text = '', failed = false } = lastInput?.results[0] ?? {};
      return { text, isError: failed, pictures: picturesIn(api.requests.at(-1)) };
    },
    ...(agent.unable === undefined ? {} : { unable: agent.unable }),
    isAgent: true,
    close: () => api.close(),
  };
}

/** Finds pictures in a request to a model, for all APIs. */
function picturesIn(request: unknown): string[] {
  return [
    ...JSON.stringify(request ?? null).matchAll(
      /"(?:data:image\/\w+;base64,)?((?:iVBORw0KGgo|\/9j\/)[A-Za-z0-9+/=]{1000,})"/g,
    ),
  ].map(([, data = '']) => data);
}

function remote({ url, token }: Target): {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
} {
  return { url, headers: { Authorization: `Bearer ${token}` } };
}

function ownHome({ home }: Target): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    NO_COLOR: '1',
  };
}

/** Runs a program to its end and returns its output. `signal` interrupts it like Ctrl-C. */
function runProgram({ command, args, env }: AgentProgram, cwd: string, signal?: AbortSignal): Promise<string> {
  if (command.includes('/') && !existsSync(command))
    return Promise.reject(new Error(`${command} is not for this platform`));
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...env },
      timeout: turnTimeoutMs,
      maxBuffer: 100_000_000,
      killSignal: 'SIGKILL' as const,
    };
    const child: ChildProcess = execFile(command, [...args], options, (error, stdout, stderr) =>
      resolve(`${stdout}\n${stderr}\n${error === null ? '' : error.message}`),
    );
    child.stdin?.end();
    signal?.addEventListener('abort', () => child.kill('SIGINT'));
  });
}

/** Returns the Inspector as a client. It sends one request for each run of its program. */
function inspector(target: Target): ConnectedClient {
  const require = createRequire(import.meta.url);
  const directory = dirname(require.resolve('@modelcontextprotocol/inspector/package.json'));
  const program = join(directory, 'clients', 'launcher', 'build', 'index.js');
  const header = ['--header', `Authorization: Bearer ${target.token}`];
  const request = async (...method: readonly string[]): Promise<unknown> => {
    const options = ['--method', ...method, '--stored-auth-only', '--format', 'json'];
    const args = [program, '--cli', target.url, '--transport', 'http', ...header, ...options];
    const output = await runProgram({ command: process.execPath, args, env: ownHome(target) }, target.home);
    try {
      return (JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)) as { result: unknown }).result;
    } catch {
      throw new Error(`no result: ${output.slice(0, 500)}`);
    }
  };
  return {
    list: async () => ((await request('tools/list')) as { tools: { name: string }[] }).tools.map(({ name }) => name),
    async call(tool, args) {
      const given = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${String(value)}`]);
      return toClientResult((await request('tools/call', '--tool-name', tool, ...given)) as WireResult);
    },
    unable: {
      cancel: 'one request for each run',
      progress: 'the command line shows none',
      elicit: 'the command line cannot answer',
    },
    close: () => Promise.resolve(),
  };
}
