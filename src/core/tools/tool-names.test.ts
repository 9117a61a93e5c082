import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SignalboxError } from '../errors.ts';

import { assertServerName, maxToolNameLength, parseName, renderName } from './tool-names.ts';

const characters = 'ABCXYZabcxyz0189-_'.split('');
const serverName = fc
  .string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 44 })
  .map((name) => name.replaceAll(/_+/g, '_').replace(/_$/, 'x'));
const plainTool = fc.string({ unit: fc.constantFrom(...characters, '_', '_'), minLength: 1, maxLength: 70 });
const anyTool = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), plainTool);
const rendering = /^[A-Za-z0-9_-]{1,60}$/;

function problemOf(server: string): string {
  try {
    assertServerName(server);
  } catch (error) {
    assert.ok(error instanceof SignalboxError);
    assert.equal(error.code, 'name-invalid');
    return error.message;
  }
  return assert.fail(`server name ${JSON.stringify(server)} was let through`);
}

describe('rendered names', () => {
  test('read back as the identity they were rendered from, for every tool name that fits as it is', () => {
    fc.assert(
      fc.property(serverName, plainTool, (server, tool) => {
        assertServerName(server);
        const { name, notice } = renderName({ server, tool });
        const fits = `mcp__${server}__${tool}`.length <= maxToolNameLength;
        assert.equal(notice === undefined, fits);
        if (fits) assert.deepEqual(parseName(name), { server, tool });
      }),
      { numRuns: 2000 },
    );
  });

  test('tool names with "_" at the ends or "__" inside read back too', () => {
    for (const tool of ['_', '__', '___', '_a', 'a_', '__a__b__', 'a__b']) {
      for (const server of ['s', '_s', 's_s', '-', '_-']) {
        assert.deepEqual(parseName(renderName({ server, tool }).name), { server, tool });
      }
    }
  });

  test('are accepted by every provider, whatever the tool is called, and always tell their server', () => {
    fc.assert(
      fc.property(serverName, anyTool, (server, tool) => {
        const { name } = renderName({ server, tool });
        assert.match(name, rendering);
        assert.equal(parseName(name)?.server, server);
      }),
      { numRuns: 2000 },
    );
    for (const tool of ['\ud800', '\u{1F600}'.repeat(50), '\u0000', 'ä'.repeat(64), '../../etc', 'a b\n']) {
      assert.match(renderName({ server: 's', tool }).name, rendering);
    }
  });

  test('one character that cannot be shown becomes one "_"', () => {
    assert.equal(renderName({ server: 's', tool: 'a\u{1F600}ä b' }).name, 'mcp__s__a___b');
  });

  test('a changed name comes with a notice that tells both', () => {
    assert.deepEqual(renderName({ server: 's', tool: 'files.read' }), {
      name: 'mcp__s__files_read',
      notice: 'name "files.read" is rendered as "mcp__s__files_read"',
    });
    const long = renderName({ server: 's', tool: 'x'.repeat(60) });
    assert.match(long.notice ?? '', /^name "x{60}" is shortened to "mcp__s__x+_[0-9a-f]{8}" \(limit 60 characters\)$/);
  });

  test('shortening is the same on every machine and at every time', () => {
    assert.equal(
      renderName({ server: 'files', tool: 'read_the_whole_of_a_very_long_file_name_that_nobody_can_type' }).name,
      'mcp__files__read_the_whole_of_a_very_long_file_name_bad28133',
    );
  });

  test('different tools of different servers never share a name; of one server only where nothing had to be shortened', () => {
    fc.assert(
      fc.property(serverName, anyTool, fc.option(serverName), anyTool, (server, tool, otherServer, otherTool) => {
        const one = renderName({ server, tool });
        const other = renderName({ server: otherServer ?? server, tool: otherTool });
        const shortened = one.notice?.includes('shortened') === true;
        if ((otherServer ?? server) === server && (tool === otherTool || !shortened)) return;
        assert.notEqual(one.name, other.name);
      }),
      { numRuns: 2000 },
    );
  });

  test('long tools that differ only at the end, or only in characters that cannot be shown, get different names', () => {
    const long = 'a_very_long_tool_name_that_goes_on_and_on_until_it_is_too_long_';
    const tools = Array.from({ length: 2000 }, (_, index) => long + index).concat(`${long}ä`, `${long}ö`);
    assert.equal(new Set(tools.map((tool) => renderName({ server: 's', tool }).name)).size, tools.length);
  });

  test('a tool without a name is refused', () => {
    assert.throws(
      () => renderName({ server: 'notes', tool: '' }),
      /^SignalboxError: a tool of server "notes" has an empty name$/,
    );
  });

  test('what is no rendered name does not read back', () => {
    for (const name of [
      '',
      'ping',
      'mcp__',
      'mcp__a',
      'mcp__a__',
      'mcp____b',
      'MCP__a__b',
      'mcp_a__b',
      'mcp__a b__c',
      `mcp__${'a'.repeat(45)}__b`,
    ]) {
      assert.equal(parseName(name), undefined, name);
    }
  });
});

describe('server names', () => {
  test('letters, digits, "-" and single "_" are welcome', () => {
    for (const server of ['a', 'A9', 'my-server', 'my_server', '_private', '9', '-', 'a_b_c', 'x'.repeat(44)])
      assertServerName(server);
  });

  for (const [server, problem] of [
    ['', 'is empty'],
    ['x'.repeat(45), 'is 45 characters long'],
    ['my server', 'has a character that tool names cannot carry'],
    ['größe', 'has a character that tool names cannot carry'],
    ['a.b', 'has a character that tool names cannot carry'],
    ['a\n', 'has a character that tool names cannot carry'],
    ['a__b', 'has "__", which separates server and tool'],
    ['__', 'has "__", which separates server and tool'],
    ['a_', 'ends with "_", which would blur where the tool name begins'],
  ] as const) {
    test(`${JSON.stringify(server)} ${problem}`, () => {
      assert.equal(
        problemOf(server),
        `server name ${JSON.stringify(server)} ${problem}: use letters, digits, "-" and single "_", at most 44 characters`,
      );
    });
  }

  test('whatever is let through can be read back', () => {
    fc.assert(
      fc.property(fc.oneof(serverName, fc.string(), plainTool), plainTool, (server, tool) => {
        try {
          assertServerName(server);
        } catch {
          return;
        }
        assert.equal(parseName(renderName({ server, tool }).name)?.server, server);
      }),
      { numRuns: 2000 },
    );
  });
});
