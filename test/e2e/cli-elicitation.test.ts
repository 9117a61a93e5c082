import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { Place, finished, launcher, said } from './cli-place.ts';

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

function desk(): Place {
  const mcpServers = { desk: { module: './desk.ts' } };
  return new Place({ 'desk.ts': tools, 'signalbox.config.json': JSON.stringify({ mcpServers }) });
}

const probe = spawnSync('script', ['--version'], { encoding: 'utf8' });
const skip =
  probe.error === undefined && probe.stdout.includes('util-linux') ? {} : { skip: 'needs script of util-linux' };

/** Calls a tool at a terminal and answers each question when it comes. */
async function dialogue(tool: string, answers: readonly (readonly [RegExp, string])[]): Promise<string> {
  const place = desk();
  const command = `${process.execPath} ${launcher} call ${tool}`;
  const env = { ...process.env, SIGNALBOX_HOME: place.data, NO_COLOR: '1', TERM: 'xterm' };
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: place.directory,
    env,
  });
  const ended = finished(child);
  for (const [asked, answer] of answers) {
    await said(child.stdout, asked);
    child.stdin.write(answer);
  }
  return (await ended).stdout;
}

suite('call at a terminal', () => {
  test('a form is filled in field by field: choices, defaults, and again what does not fit', skip, async () => {
    const printed = await dialogue('desk/register', [
      [
        /info desk: somebody comes[^]*the tool asks Who are you\?[^]*asks for: Your name, age, [^]*Answer now, field by field\? \[y\/N\] /,
        'Ada\r',
      ],
      [/answer y or n[^]*field by field\? \[y\/N\] /, 'y\r'],
      [/Your name \(text\): /, 'A\r'],
      [/must NOT have fewer than 2 characters[^]*Your name \(text\): /, 'Ada\r'],
      [/age \(integer\): /, 'young\r'],
      [/must be integer[^]*age \(integer\): /, '36\r'],
      [/member \(y\/n, may stay empty\): /, 'yes\r'],
      [/2\. Green[^]*color \(text, may stay empty\): /, '2\r'],
      [/city \(text, default "Berlin"\): /, '\r'],
      [/likes \(several, separated by commas, may stay empty\): /, 'sun, 1\r'],
    ]);
    const content = { name: 'Ada', age: 36, member: true, color: '#0f0', city: 'Berlin', likes: ['sun', 'rain'] };
    assert.ok(printed.includes(JSON.stringify({ action: 'accept', content })), printed);
  });

  for (const [key, action] of [
    ['n\r', 'decline'],
    ['\u0004', 'cancel'],
  ] as const) {
    test(`${JSON.stringify(key)} is a way to ${action}`, skip, async () => {
      assert.match(
        await dialogue('desk/register', [[/Answer .*\? \[y\/N\] /, key]]),
        new RegExp(`"action":"${action}"`),
      );
    });
  }

  test('a page is shown with its address, and visiting it is the human’s word', skip, async () => {
    const printed = await dialogue('desk/visit', [
      [/Agree there\.[^]*https:\/\/example\.org\/a[^]*opened it\? \[y\/N\] /, 'y\r'],
    ]);
    assert.match(printed, /\baccept\b/);
  });
});

test('without a terminal the tool is told that nobody can be asked; what it says goes beside the result', async () => {
  const { code, stdout, stderr } = await desk().run(['call', 'desk/register']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^info desk: somebody comes\n/);
  assert.match(stderr, /nobody can be asked/);
});
