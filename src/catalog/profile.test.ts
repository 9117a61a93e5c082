import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { defineTool } from '../sources/local/define-tool.ts';
import { localServer } from '../sources/local/local-server.ts';
import { runtimeTools } from '../runtimes/runtime-tools.ts';
import type { ProfilesByName } from './profile.ts';

const server = (name: string, ...tools: readonly string[]): ReturnType<typeof localServer> =>
  localServer({
    name,
    tools: tools.map((tool) =>
      defineTool({ name: tool, description: tool, input: z.object({}), effect: 'read', run: () => tool }),
    ),
  });

async function withBox(profiles: ProfilesByName, use: (box: InternalSignalbox) => Promise<void> | void): Promise<void> {
  const servers = [server('files', 'read', 'delete_all', 'write'), server('web', 'get', 'undelete')];
  const box = await openSignalbox({ servers, profiles });
  try {
    await use(box);
  } finally {
    await box.close();
  }
}

const namesOf = (box: InternalSignalbox, profile: string): string[] =>
  box
    .tools({ profile })
    .filter(({ id }) => id.server !== 'signalbox')
    .map(({ id }) => `${id.server}.${id.tool}`);

suite('a profile', () => {
  test('shows the tools of its servers that its patterns let through; leaving out wins, whatever the order', () =>
    withBox(
      {
        all: {},
        files: { servers: ['files'] },
        named: { tools: ['mcp__web__*', 'read'] },
        careful: { tools: ['!*delete*', 'mcp__files__*'] },
        careless: { tools: ['mcp__files__*', '!*delete*'] },
        short: { tools: ['!delete_*'] },
        nothing: { servers: [] },
      },
      (box) => {
        assert.deepEqual(namesOf(box, 'all').length, 5);
        assert.deepEqual(namesOf(box, 'files'), ['files.read', 'files.delete_all', 'files.write']);
        assert.deepEqual(namesOf(box, 'named'), ['files.read', 'web.get', 'web.undelete']);
        assert.deepEqual(namesOf(box, 'careful'), ['files.read', 'files.write']);
        assert.deepEqual(namesOf(box, 'careless'), namesOf(box, 'careful'));
        assert.deepEqual(namesOf(box, 'short'), ['files.read', 'files.write', 'web.get', 'web.undelete']);
        assert.deepEqual(namesOf(box, 'nothing'), []);
        // Every agent gets the built-in server.
        assert.ok(box.tools({ profile: 'nothing' }).some(({ name }) => name === 'mcp__signalbox__ping'));
      },
    ));

  test('says of each tool that it does not show why', () =>
    withBox({ p: { servers: ['files'], tools: ['!*delete*', 'mcp__files__read'] } }, (box) => {
      const { hidden, servers } = box.catalog({ profile: 'p' });
      assert.deepEqual(
        hidden.filter(({ server: of }) => of !== 'signalbox').map(({ name, by, reason }) => [name, by, reason]),
        [
          ['mcp__files__delete_all', 'profile', 'profile "p" leaves it out with "!*delete*"'],
          ['mcp__files__write', 'profile', 'profile "p" does not name it'],
          ['mcp__web__get', 'profile', 'profile "p" does not have the server "web"'],
          ['mcp__web__undelete', 'profile', 'profile "p" leaves it out with "!*delete*"'],
        ],
      );
      assert.deepEqual(
        servers.map(({ name, tools }) => [name, tools]),
        [
          ['signalbox', 0],
          ['files', 1],
          ['web', 0],
        ],
      );
    }));

  test('is made once for each catalog, and anew when servers or profiles change', () =>
    withBox({ p: { servers: ['files'] } }, async (box) => {
      const first = box.tools({ profile: 'p' });
      assert.equal(box.tools({ profile: 'p' }), first);
      box.servers.add(server('more', 'x'));
      const second = box.tools({ profile: 'p' });
      assert.notEqual(second, first);
      const changed = new Promise((resolve) => box.on('CatalogChanged', resolve));
      box.profiles.set({ p: { servers: ['more'] } });
      assert.deepEqual(namesOf(box, 'p'), ['more.x']);
      await changed;
    }));

  test('tells which of its patterns fit no tool', () =>
    withBox({ p: { tools: ['!*delete*', 'mcp__flies__*', '!gone'] } }, (box) => {
      assert.deepEqual(
        box.profiles.list().map(({ name, unmatched }) => [name, unmatched]),
        [['p', ['mcp__flies__*', '!gone']]],
      );
    }));
});

suite('a call with a profile', () => {
  test('runs what the profile shows and nothing else, and says why', () =>
    withBox({ p: { servers: ['files'], tools: ['!*delete*'] } }, async (box) => {
      const call = async (tool: string, profile = 'p'): Promise<string> => {
        const { outcome, error } = await box.call(tool, {}, { profile });
        return `${outcome} ${error?.code ?? ''} ${error?.message ?? ''}`.trim();
      };
      assert.equal(await call('mcp__files__read'), 'completed');
      assert.equal(
        await call('mcp__files__delete_all'),
        'denied tool-hidden mcp__files__delete_all cannot be called: profile "p" leaves it out with "!*delete*"',
      );
      assert.match(await call('mcp__web__get'), /^denied tool-hidden .*does not have the server "web"$/);
      assert.match(
        await call('mcp__files__read', 'q'),
        /^denied tool-hidden .*no profile named "q"; did you mean "p"\?$/,
      );
      // What is outside is not suggested either.
      assert.doesNotMatch(await call('mcp__web__gett'), /did you mean/);
      assert.throws(() => box.tools({ profile: 'q' }), { code: 'profile-unknown' });
    }));

  test('a tool that a runtime runs itself is left out by a pattern alone', () =>
    withBox({ files: { servers: ['files'] }, calm: { tools: ['!mcp__claude__Bash'] } }, async (box) => {
      const own = runtimeTools('claude');
      box.servers.add(own);
      own.declare({ name: 'Bash', effect: 'read' });
      const begin = (profile: string): ReturnType<typeof box.begin> =>
        box.begin('mcp__claude__Bash', {}, { principal: { id: 'a', kind: 'agent' }, profile });
      const allowed = await begin('files');
      assert.ok(allowed.allowed);
      await allowed.end({ outcome: 'completed', content: [] });
      const refused = await begin('calm');
      assert.match(
        refused.allowed ? '' : (refused.result.error?.message ?? ''),
        /leaves it out with "!mcp__claude__Bash"/,
      );
      assert.ok(!box.catalog().servers.some(({ name }) => name === 'claude'), 'nobody is told of it');
    }));

  test('for any profile, what is listed can be called and what is not cannot', async () => {
    const pattern = fc.constantFrom('*', 'read', '*delete*', 'mcp__web__*', 'w*', 'mcp__files__write', 'x');
    const patterns = fc.array(fc.tuple(fc.constantFrom('', '!'), pattern).map((parts) => parts.join('')));
    const settings = fc.record(
      { servers: fc.subarray(['files', 'web', 'gone']), tools: patterns },
      { requiredKeys: [] },
    );
    await withBox({}, async (box) => {
      await fc.assert(
        fc.asyncProperty(settings, async (given) => {
          box.profiles.set({ p: given });
          const listed = new Set(box.tools({ profile: 'p' }).map(({ name }) => name));
          for (const { name } of box.tools()) {
            if (name.startsWith('mcp__signalbox__')) continue;
            const { outcome } = await box.call(name, {}, { profile: 'p' });
            assert.equal(outcome, listed.has(name) ? 'completed' : 'denied', name);
          }
        }),
        { seed: 5, numRuns: 60 },
      );
    });
  });
});
