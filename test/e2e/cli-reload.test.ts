import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { type BrowserHeaders, browserHeaders } from '../support/http/http-server.ts';
import { CliProject } from './cli-project.ts';
import { localUser } from '../../src/access/local-user.ts';

const { command, args } = fixtureProgram();
const token = 'a-token-for-the-reload-tests';

interface Server {
  readonly name: string;
  readonly status: string;
  readonly tools: number;
  readonly health?: { readonly state: string };
}

interface InfoResponse {
  readonly configuration: { readonly refused?: { readonly details: readonly string[] } };
}

/** A running `signalbox serve` with a configuration that the test changes. */
class Served {
  readonly project: CliProject;
  readonly url: string;
  /** Headers of a signed-in browser. */
  readonly browser: BrowserHeaders;
  readonly stderr: () => string;

  private constructor(project: CliProject, url: string, browser: BrowserHeaders, stderr: () => string) {
    this.project = project;
    this.url = url;
    this.browser = browser;
    this.stderr = stderr;
  }

  static async start(t: TestContext, mcpServers?: object, environment: Record<string, string> = {}): Promise<Served> {
    const project = new CliProject(
      mcpServers === undefined ? {} : { 'signalbox.config.json': JSON.stringify({ mcpServers }) },
    );
    const server = await project.serve({ SIGNALBOX_TOKEN: token, ...environment });
    t.after(() => server.stop());
    const { url, signInUrl, child } = server;
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)));
    const browser = await browserHeaders(await fetch(signInUrl, { redirect: 'manual' }));
    const served = new Served(project, url, browser, () => stderr);
    await served.waitFor((servers) => servers.every(({ status }) => status !== 'down'), 'the servers are up');
    return served;
  }

  write(mcpServers: object): void {
    const file = join(this.project.directory, 'signalbox.config.json');
    // Editors replace a file by a rename.
    writeFileSync(`${file}.new`, JSON.stringify({ mcpServers }, undefined, 2));
    renameSync(`${file}.new`, file);
  }

  async get<Body>(path: string): Promise<Body> {
    const response = await fetch(this.url + path, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as Body;
  }

  async post<Body>(path: string, body: object = {}): Promise<Body & { code?: string; detail?: string }> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Body & { code?: string };
  }

  /** Accepts the current definitions of a server, by default as the person at a signed-in browser. */
  async accept(
    server: string,
    body: object = {},
    credentials: Record<string, string> = { ...this.browser, origin: this.url },
  ): Promise<{ code?: string }> {
    const headers = { ...credentials, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(`${this.url}/api/lock/${server}/accept`, init)).json()) as { code?: string };
  }

  async call(tool: string, input: object = {}): Promise<{ outcome: string; text: string; error?: { code: string } }> {
    type CallResponse = { outcome: string; content: { text: string }[]; error?: { code: string } };
    const response = await this.post<CallResponse>(`/api/tools/mcp__${tool}/call`, { arguments: input });
    return { ...response, text: response.content[0]?.text ?? '' };
  }

  async servers(): Promise<Server[]> {
    return (await this.get<{ items: Server[] }>('/api/servers')).items.filter(({ name }) => name !== 'signalbox');
  }

  /** Waits until the servers meet the condition. */
  async waitFor(condition: (servers: Server[]) => boolean, description: string): Promise<Server[]> {
    for (const end = Date.now() + 20_000; ;) {
      const servers = await this.servers();
      if (condition(servers)) return servers;
      if (Date.now() > end) throw new Error(`timed out: ${description}\n${JSON.stringify(servers)}\n${this.stderr()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async pid(server: string): Promise<number> {
    return Number((await this.call(`${server}__echo_pid`)).text);
  }
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

const entry = (...more: string[]): object => ({ command, args: [...(args ?? []), 'legacy', '--pid', ...more] });

suite('configuration that changes while serve runs', { skip: process.platform !== 'linux' && 'reads /proc' }, () => {
  test('adds, removes and replaces servers; those with an unchanged entry keep their process and their calls', async (t) => {
    const served = await Served.start(t, { unchanged: entry(), changed: entry(), removed: entry() });
    const [unchanged, changed, removed] = [
      await served.pid('unchanged'),
      await served.pid('changed'),
      await served.pid('removed'),
    ];
    const long = served.call('unchanged__wait', { ms: 3000 });
    const ending = served.call('changed__wait', { ms: 1500 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    served.write({ unchanged: entry(), changed: { ...entry('--many', '3'), pin: false }, added: entry() });
    await served.waitFor(
      (servers) => servers.length === 3 && servers.every(({ name, status }) => name !== 'removed' && status === 'up'),
      'the new servers are up',
    );
    assert.equal(await served.pid('unchanged'), unchanged);
    assert.notEqual(await served.pid('changed'), changed);
    assert.equal((await served.call('changed__many_2')).text, 'many_2');
    assert.ok((await served.pid('added')) > 0);
    assert.equal((await served.call('removed__echo_pid')).error?.code, 'tool-unknown');
    assert.equal((await ending).outcome, 'completed', 'a call at the replaced server runs to its end');
    assert.equal((await long).outcome, 'completed');
    await until(() => !isAlive(changed) && !isAlive(removed), 'the old processes are gone');
    assert.match(served.stderr(), /configuration changed: removed removed, restarted changed, added added\n/);
  });

  test('reshapes a server without a restart if only tools, limits or `required` change', async (t) => {
    const served = await Served.start(t, { files: entry() });
    const before = await served.pid('files');
    served.write({ files: { ...entry(), required: true, timeoutMs: 100, tools: { rename: { echo: 'say' } } } });
    await served.waitFor(
      ([server]) => (server as { required?: true } | undefined)?.required === true,
      'the server is reshaped',
    );
    assert.equal((await served.call('files__say', { text: 'hello' })).text, 'hello');
    assert.equal((await served.call('files__echo', { text: 'hello' })).error?.code, 'tool-unknown');
    assert.equal((await served.call('files__wait', { ms: 5000 })).outcome, 'timed-out');
    assert.equal(await served.pid('files'), before);
  });

  test('keeps everything running after a mistake, which is reported with its line until it is corrected', async (t) => {
    const served = await Served.start(t, { files: entry() });
    const before = await served.pid('files');
    served.write({ files: { ...entry(), timeoutMS: 5 }, other: entry() });
    const info = (): Promise<InfoResponse> => served.get<InfoResponse>('/api/info');
    let refused: InfoResponse['configuration']['refused'];
    for (const end = Date.now() + 10_000; refused === undefined && Date.now() < end;)
      refused = (await info()).configuration.refused;
    assert.match(
      refused?.details[0] ?? '',
      /signalbox\.config\.json:\d+:\d+ {2}mcpServers\.files\.timeoutMS: unknown key .*did you mean "timeoutMs"\?/,
    );
    assert.match(
      served.stderr(),
      /the changed configuration is not used; the running configuration stays\n {2}.*timeoutMS/,
    );
    assert.deepEqual(
      (await served.servers()).map(({ name }) => name),
      ['files'],
    );
    assert.equal(await served.pid('files'), before);
    served.write({ files: entry(), other: entry() });
    await served.waitFor((servers) => servers.length === 2, 'the corrected configuration is applied');
    assert.equal((await info()).configuration.refused, undefined);
    const { items } = await served.get<{ items: { status: string; details: string[] }[] }>(
      '/api/journal?type=ConfigurationChanged',
    );
    assert.deepEqual(
      items.map(({ status }) => status),
      ['applied', 'refused'],
    );
    assert.deepEqual(items[0]?.details, ['added other']);
  });

  test('applies the changes of add, disable, enable and remove', async (t) => {
    const served = await Served.start(t, { files: entry() });
    const { project } = served;
    const before = await served.pid('files');
    assert.equal((await project.run(['add', 'more', '--', command, ...(args ?? [])])).code, 0);
    await served.waitFor((servers) => servers.some(({ name, status }) => name === 'more' && status === 'up'), 'added');
    assert.equal((await project.run(['disable', 'files'])).code, 0);
    await served.waitFor(([files]) => files?.status === 'disabled', 'disabled');
    await until(() => !isAlive(before), 'the disabled server has stopped');
    const restarted = await served.post('/api/servers/files/restart');
    assert.deepEqual(
      [restarted.code, restarted.detail],
      ['server-down', 'server "files" is not started; enable it first'],
    );
    // The console enables a server without changing the file.
    await served.post('/api/servers/files/enable');
    await served.waitFor(([files]) => files?.status === 'up', 'enabled until the next change');
    assert.match(readFileSync(join(project.directory, 'signalbox.config.json'), 'utf8'), /"disabled": true/);
    assert.equal((await project.run(['enable', 'files'])).code, 0);
    assert.equal((await project.run(['remove', 'more'])).code, 0);
    await served.waitFor((servers) => servers.length === 1 && servers[0]?.status === 'up', 'removed, and enabled');
    assert.notEqual(await served.pid('files'), before);
  });

  test('hides a tool that differs from the lock, shows the difference, and offers the tool once it is accepted over HTTP', async (t) => {
    const served = await Served.start(t, { files: entry() });
    assert.equal((await served.project.run(['lock'])).code, 0);
    const [locked] = await served.waitFor(([each]) => each?.status === 'up', 'the server is up');
    served.write({ files: entry('--many', '1') });
    await until(() => served.stderr().includes('restarted files'), 'the change is applied');
    const [files] = await served.waitFor(([each]) => each?.status === 'up', 'the server is up again');
    assert.equal(files?.tools, locked?.tools, 'the new tool is hidden');
    type Lock = { items: { server: string; status: string; fingerprint: string; diff?: { tools: object[] } }[] };
    const [lockEntry] = (await served.get<Lock>('/api/lock')).items;
    assert.equal(lockEntry?.status, 'changed');
    assert.deepEqual(lockEntry.diff?.tools, [{ tool: 'many_0', kind: 'added', suspicions: [] }]);
    const before = await served.pid('files');
    assert.equal((await served.call('files__many_0')).error?.code, 'tool-hidden');
    const { fingerprint } = lockEntry;
    const agent = readFileSync(join(served.project.data, 'agent-token'), 'utf8').trim();
    const asAgent = { authorization: `Bearer ${agent}` };
    assert.equal((await served.accept('files', { seen: fingerprint }, asAgent)).code, 'role-refused');
    assert.equal((await served.accept('files', { seen: 'other' })).code, 'lock-outdated');
    assert.equal((await served.accept('none')).code, 'server-unknown');
    await served.accept('files', { seen: fingerprint });
    assert.equal((await served.call('files__many_0')).text, 'many_0');
    assert.equal(await served.pid('files'), before, 'the process is the same');
    assert.equal((await served.get<Lock>('/api/lock')).items[0]?.status, 'unchanged');
    const recorded = await served.get<{ items: { by?: { id: string }; details: string[] }[] }>(
      '/api/journal?type=ConfigurationChanged',
    );
    const [newest] = recorded.items;
    assert.deepEqual([newest?.by?.id, newest?.details], [localUser().id, ['accepted the definitions of files']]);
    assert.equal((await served.project.run(['lock', 'check'])).code, 0, 'the CLI agrees');
  });

  test('applies a configuration that is created after serve was started', async (t) => {
    const served = await Served.start(t);
    const names = (): Promise<string[]> => served.servers().then((servers) => servers.map(({ name }) => name));
    assert.deepEqual(await names(), ['demo']);
    writeFileSync(
      join(served.project.directory, 'signalbox.config.jsonc'),
      JSON.stringify({ mcpServers: { first: entry() } }),
    );
    await served.waitFor(([first]) => first?.name === 'first' && first.status === 'up', 'the server is up');
    assert.match(served.stderr(), /configuration changed: added first\n/);
    assert.deepEqual(await names(), ['first'], 'the demo is only offered without other servers');
  });

  test('ignores a configuration that is not trusted, and keeps the demo until it is', async (t) => {
    const served = await Served.start(t, undefined, { SIGNALBOX_TRUST: '' });
    served.write({ first: entry() });
    await until(() => /the running configuration stays/.test(served.stderr()), 'the configuration is rejected');
    assert.deepEqual(
      (await served.servers()).map(({ name }) => name),
      ['demo'],
    );
    assert.equal((await served.project.run(['trust', '--yes'])).code, 0);
    await served.waitFor(([first]) => first?.name === 'first' && first.status === 'up', 'the server is up');
  });
});
