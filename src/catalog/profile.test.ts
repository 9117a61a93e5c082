import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { distractors } from '../../test/support/boxes/distractors.ts';
import { runtimeTools } from '../runtimes/runtime-tools.ts';
import { openSignalbox } from '../signalbox/create-signalbox.ts';
import type { InternalSignalbox } from '../signalbox/internal-signalbox.ts';
import { defineTool } from '../sources/local/define-tool.ts';
import { localServer } from '../sources/local/local-server.ts';
import { Profile, type ProfilesByName, minSearchBytes } from './profile.ts';

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

describe('a profile', () => {
  test('shows the tools of its servers that its patterns include; excluding patterns win in any order', () =>
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
        // Every profile includes the built-in server.
        assert.ok(box.tools({ profile: 'nothing' }).some(({ name }) => name === 'mcp__signalbox__ping'));
      },
    ));

  test('lists every tool that it hides, with the reason', () =>
    withBox({ p: { servers: ['files'], tools: ['!*delete*', 'mcp__files__read'] } }, (box) => {
      const { hidden, servers } = box.catalog({ profile: 'p' });
      assert.deepEqual(
        hidden.filter(({ server: of }) => of !== 'signalbox').map(({ name, by, reason }) => [name, by, reason]),
        [
          ['mcp__files__delete_all', 'profile', 'profile "p" excludes it with "!*delete*"'],
          ['mcp__files__write', 'profile', 'profile "p" does not include it'],
          ['mcp__web__get', 'profile', 'profile "p" does not include the server "web"'],
          ['mcp__web__undelete', 'profile', 'profile "p" excludes it with "!*delete*"'],
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

  test('builds its view once per catalog version and rebuilds it when servers or profiles change', () =>
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

  test('reports the patterns that match no tool', () =>
    withBox({ p: { tools: ['!*delete*', 'mcp__flies__*', '!gone'] } }, (box) => {
      assert.deepEqual(
        box.profiles.list().map(({ name, unmatched }) => [name, unmatched]),
        [['p', ['mcp__flies__*', '!gone']]],
      );
    }));
});

describe('a call with a profile', () => {
  test('runs only tools that the profile shows, and denies others with the reason', () =>
    withBox({ p: { servers: ['files'], tools: ['!*delete*'] } }, async (box) => {
      const call = async (tool: string, profile = 'p'): Promise<string> => {
        const { outcome, error } = await box.call(tool, {}, { profile });
        return `${outcome} ${error?.code ?? ''} ${error?.message ?? ''}`.trim();
      };
      assert.equal(await call('mcp__files__read'), 'completed');
      assert.equal(
        await call('mcp__files__delete_all'),
        'denied tool-hidden mcp__files__delete_all cannot be called: profile "p" excludes it with "!*delete*"',
      );
      assert.match(await call('mcp__web__get'), /^denied tool-hidden .*does not include the server "web"$/);
      assert.match(
        await call('mcp__files__read', 'q'),
        /^denied tool-hidden .*no profile named "q"; did you mean "p"\?$/,
      );
      // A tool outside the profile is not suggested.
      assert.doesNotMatch(await call('mcp__web__gett'), /did you mean/);
      assert.throws(() => box.tools({ profile: 'q' }), { code: 'profile-unknown' });
    }));

  test('can begin a tool that a runtime runs itself, unless a pattern excludes it', () =>
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
        /excludes it with "!mcp__claude__Bash"/,
      );
      assert.ok(!box.catalog().servers.some(({ name }) => name === 'claude'), 'the unlisted server is listed');
    }));

  test('completes for every listed tool of any profile, and is denied for all others', async () => {
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

test('disclosure "auto" replaces the list with tool search above the measured break-even size', () => {
  const profile = new Profile('p', { disclosure: 'auto' }, undefined);
  const tools = distractors(400);
  const size = (count: number): number =>
    tools
      .slice(0, count)
      .map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
      .reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0);
  const first = tools.findIndex((_, index) => size(index + 1) > minSearchBytes) + 1;
  assert.ok(first > 20);
  assert.deepEqual(
    [profile.usesSearch(tools.slice(0, first - 1)), profile.usesSearch(tools.slice(0, first))],
    [false, true],
  );
  assert.equal(profile.usesSearch([]), false);
});
