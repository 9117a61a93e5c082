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
  return assert.fail(`server name ${JSON.stringify(server)} was accepted`);
}

describe('rendered names', () => {
  test('parse back to their identity, for every tool name that is rendered unchanged', () => {
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

  test('parse back for tool names with "_" at the ends or "__" inside', () => {
    for (const tool of ['_', '__', '___', '_a', 'a_', '__a__b__', 'a__b']) {
      for (const server of ['s', '_s', 's_s', '-', '_-']) {
        assert.deepEqual(parseName(renderName({ server, tool }).name), { server, tool });
      }
    }
  });

  test('are valid for every provider and contain their server, for any tool name', () => {
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

  test('replace each unsupported character with one "_"', () => {
    assert.equal(renderName({ server: 's', tool: 'a\u{1F600}ä b' }).name, 'mcp__s__a___b');
  });

  test('come with a notice of both names when the name was changed', () => {
    assert.deepEqual(renderName({ server: 's', tool: 'files.read' }), {
      name: 'mcp__s__files_read',
      notice: 'name "files.read" is rendered as "mcp__s__files_read"',
    });
    const long = renderName({ server: 's', tool: 'x'.repeat(60) });
    assert.match(long.notice ?? '', /^name "x{60}" is shortened to "mcp__s__x+_[0-9a-f]{8}" \(limit 60 characters\)$/);
  });

  test('are shortened deterministically', () => {
    assert.equal(
      renderName({ server: 'files', tool: 'read_the_whole_of_a_very_long_file_name_that_nobody_can_type' }).name,
      'mcp__files__read_the_whole_of_a_very_long_file_name_bad28133',
    );
  });

  test('differ for tools of different servers, and for shortened tools of one server', () => {
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

  test('differ for long names that differ only at the end or in unsupported characters', () => {
    const long = 'a_very_long_tool_name_that_goes_on_and_on_until_it_is_too_long_';
    const tools = Array.from({ length: 2000 }, (_, index) => long + index).concat(`${long}ä`, `${long}ö`);
    assert.equal(new Set(tools.map((tool) => renderName({ server: 's', tool }).name)).size, tools.length);
  });

  test('are not created for an empty tool name', () => {
    assert.throws(
      () => renderName({ server: 'notes', tool: '' }),
      /^SignalboxError: a tool of server "notes" has an empty name$/,
    );
  });

  test('parseName returns undefined for other names', () => {
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
  test('may have letters, digits, "-" and single "_"', () => {
    for (const server of ['a', 'A9', 'my-server', 'my_server', '_private', '9', '-', 'a_b_c', 'x'.repeat(44)])
      assertServerName(server);
  });

  for (const [server, problem] of [
    ['', 'is empty'],
    ['x'.repeat(45), 'is 45 characters long'],
    ['my server', 'contains a character that is not allowed in tool names'],
    ['größe', 'contains a character that is not allowed in tool names'],
    ['a.b', 'contains a character that is not allowed in tool names'],
    ['a\n', 'contains a character that is not allowed in tool names'],
    ['a__b', 'has "__", which separates server and tool'],
    ['__', 'has "__", which separates server and tool'],
    ['a_', 'ends with "_", so it could not be separated from the tool name'],
  ] as const) {
    test(`${JSON.stringify(server)} ${problem}`, () => {
      assert.equal(
        problemOf(server),
        `server name ${JSON.stringify(server)} ${problem}: use letters, digits, "-" and single "_", at most 44 characters`,
      );
    });
  }

  test('parse back from rendered names if they are valid', () => {
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
