import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { CliProject, onTerminal } from './cli-project.ts';

const tools = `
import { defineTool, localServer } from 'signalbox';
const requestedSchema = {
  type: 'object',
  required: ['name', 'age'],
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    age: { type: 'integer', minimum: 1 },
    member: { type: 'boolean' },
    color: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }, { const: '#0f0', title: 'Green' }] },
    city: { type: 'string', default: 'Berlin' },
    likes: { type: 'array', items: { enum: ['rain', 'snow', 'sun'] } },
  },
};
const register = defineTool({
  name: 'register', description: 'Registers.', effect: 'read',
  async run(_args, { client }) {
    client.log?.({ level: 'info', logger: 'desk', data: 'somebody comes' });
    if (client.elicit === undefined) throw new Error('nobody can be asked');
    return JSON.stringify(await client.elicit({ mode: 'form', message: 'Who are you?', requestedSchema }));
  },
});
const visit = defineTool({
  name: 'visit', description: 'Visits.', effect: 'read',
  run: async (_args, { client }) => (await client.elicit({ mode: 'url', message: 'Agree there.', url: 'https://example.org/a' })).action,
});
export default localServer({ name: 'desk', tools: [register, visit] });`;

function desk(): CliProject {
  const mcpServers = { desk: { module: './desk.ts' } };
  return new CliProject({ 'desk.ts': tools, 'signalbox.config.json': JSON.stringify({ mcpServers }) });
}

/** Calls a tool on a terminal, types each answer after its prompt, and returns the output. */
async function callOnTerminal(tool: string, answers: Parameters<CliProject['dialogue']>[1]): Promise<string> {
  return (await desk().dialogue(['call', tool], answers)).stdout;
}

suite('call on a terminal', () => {
  test('fills in a form field by field: choices, defaults, and again after invalid input', onTerminal, async () => {
    const printed = await callOnTerminal('desk/register', [
      [
        /info desk: somebody comes[^]*the tool asks Who are you\?[^]*asks for: Your name, age, [^]*Answer now, field by field\? \[y\/N\] /,
        'Ada\r',
      ],
      [/answer y or n[^]*field by field\? \[y\/N\] /, 'y\r'],
      [/Your name \(text\): /, 'A\r'],
      [/must NOT have fewer than 2 characters[^]*Your name \(text\): /, 'Ada\r'],
      [/age \(integer\): /, 'young\r'],
      [/must be integer[^]*age \(integer\): /, '36\r'],
      [/member \(y\/n, optional\): /, 'yes\r'],
      [/2\. Green[^]*color \(text, optional\): /, '2\r'],
      [/city \(text, default "Berlin"\): /, '\r'],
      [/likes \(several, separated by commas, optional\): /, 'sun, 1\r'],
    ]);
    const content = { name: 'Ada', age: 36, member: true, color: '#0f0', city: 'Berlin', likes: ['sun', 'rain'] };
    assert.ok(printed.includes(JSON.stringify({ action: 'accept', content })), printed);
  });

  for (const [key, action] of [
    ['n\r', 'decline'],
    ['\u0004', 'cancel'],
  ] as const) {
    test(`answers a form with ${action} after ${JSON.stringify(key)}`, onTerminal, async () => {
      assert.match(
        await callOnTerminal('desk/register', [[/Answer .*\? \[y\/N\] /, key]]),
        new RegExp(`"action":"${action}"`),
      );
    });
  }

  test('shows the URL of a page, and asks whether the human opened it', onTerminal, async () => {
    const printed = await callOnTerminal('desk/visit', [
      [/Agree there\.[^]*https:\/\/example\.org\/a[^]*opened it\? \[y\/N\] /, 'y\r'],
    ]);
    assert.match(printed, /\baccept\b/);
  });
});

test('without a terminal, a tool cannot elicit, and its log messages go to standard error', async () => {
  const { code, stdout, stderr } = await desk().run(['call', 'desk/register']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^info desk: somebody comes\n/);
  assert.match(stderr, /nobody can be asked/);
});
