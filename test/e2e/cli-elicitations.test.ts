import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { until } from '../mcp-servers/boxed.ts';
import { teaSchema } from '../support/sessions/eliciting-server.ts';
import { type CliServer, CliProject, onTerminal } from './cli-project.ts';

const token = 'a-token-for-the-test';
const environment = { SIGNALBOX_TOKEN: token };

suite('elicitations in the CLI', { timeout: 300_000 }, () => {
  const { command, args } = fixtureProgram('legacy');
  const project = new CliProject({
    'signalbox.config.json': JSON.stringify({ mcpServers: { shop: { command, args } } }),
  });
  let server: CliServer;
  before(async () => {
    server = await project.serve(environment);
    await until(async () => {
      const { items } = await ask<{ items: { name: string; status: string }[] }>('GET', '/api/servers');
      return items.some(({ name, status }) => name === 'shop' && status === 'up');
    }, 'the server is up');
  });
  after(() => server.stop());

  async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Answer;
  }

  /** Starts a session in which the server elicits, and returns the id of the elicitation once it is listed. */
  async function startElicitation(
    method: string,
    params: object,
  ): Promise<{ readonly id: string; readonly session: string }> {
    const { id: session } = await ask<{ id: string }>('POST', '/api/sessions', { agent: 'demo' });
    const content = `call mcp__shop__request ${JSON.stringify({ method, params })}`;
    await ask('POST', `/api/sessions/${session}/messages`, { content });
    let id = '';
    await until(async () => {
      const { stdout } = await project.run(['elicitations', '--session', session, '--json'], { environment });
      id = (JSON.parse(stdout) as { items: { elicitationId: string }[] }).items[0]?.elicitationId ?? '';
      return id !== '';
    }, 'the elicitation is listed');
    return { id, session };
  }

  /** Returns the result of the call. */
  async function result(session: string): Promise<string> {
    let text = '';
    await until(async () => {
      text = JSON.stringify(await ask('GET', `/api/sessions/${session}/messages`));
      return text.includes('"result"');
    }, 'the end of the call');
    return text;
  }

  const tea = { mode: 'form', message: 'How do you take your tea?', requestedSchema: teaSchema };

  test('are listed, and a form is accepted with valid values', async () => {
    const { id, session } = await startElicitation('elicitation/create', tea);
    const listed = await project.run(['elicitations'], { environment });
    assert.match(listed.stdout, /shop\s+form\s.*How do you take your tea\?/);
    const wrong = await project.run(['answer', id, '--content', '{"name":7}'], { environment });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /elicitation-invalid.*\$\.name must be string/s);
    const accepted = await project.run(['answer', id.slice(0, -3), '--content', '{"name":"Ada"}'], { environment });
    assert.equal(accepted.code, 0, accepted.stderr);
    assert.match(accepted.stdout, /answered server shop: accept/);
    assert.match(await result(session), /Ada/);
    const late = await project.run(['answer', id, '--decline'], { environment });
    assert.equal(late.code, 1);
    assert.match(late.stderr, /elicitation-unknown/);
  });

  test('of a page are declined, and a sampling request is accepted', async () => {
    const address = { url: 'https://accounts.example.org/a', elicitationId: 'own' };
    const page = await startElicitation('elicitation/create', { mode: 'url', message: 'Sign in.', ...address });
    assert.match(
      (await project.run(['elicitations'], { environment })).stdout,
      /url\s.*https:\/\/accounts\.example\.org\/a/,
    );
    assert.equal((await project.run(['answer', page.id, '--decline'], { environment })).code, 0);
    assert.match(await result(page.session), /decline/);
    const messages = [{ role: 'user', content: { type: 'text', text: 'Which tea?' } }];
    const sampling = await startElicitation('sampling/createMessage', { messages, maxTokens: 9 });
    assert.equal((await project.run(['answer', sampling.id, '--accept'], { environment })).code, 0);
    assert.match(await result(sampling.session), /I am the demo model/);
  });

  test('require an answer on the command line if there is no terminal', async () => {
    const { id } = await startElicitation('elicitation/create', tea);
    const { code, stderr } = await project.run(['answer', id], { environment });
    assert.equal(code, 2);
    assert.match(stderr, /this is not a terminal.*--content/s);
    await project.run(['answer', id, '--cancel'], { environment });
  });

  test('of a form are answered on a terminal, field by field', onTerminal, async () => {
    const { id, session } = await startElicitation('elicitation/create', tea);
    const answers = [
      [/server shop[^]*How do you take your tea\?[^]*\[y\/N\] /, 'y\r'],
      [/Spoons of sugar \(integer, default 1\): /, '3\r'],
      [/Milk \(y\/n, optional\): /, 'y\r'],
      [/Size \(text, optional\): /, 'Large mug\r'],
      [/Extras \(.*\): /, '\r'],
      [/Your name \(text\): /, 'Bob\r'],
    ] as const;
    const { stdout } = await project.dialogue(['answer', id], answers, environment);
    assert.match(stdout, /answered server shop: accept/);
    const text = await result(session);
    for (const part of ['sugar', '3', 'Bob', 'honey']) assert.ok(text.includes(part), part);
  });

  test('need a running server', async () => {
    const { code, stderr } = await new CliProject().run(['elicitations'], { environment });
    assert.equal(code, 1);
    assert.match(stderr, /server-absent.*no server with this configuration runs/s);
  });
});
