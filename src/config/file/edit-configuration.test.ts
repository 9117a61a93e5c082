import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { ConfigurationError } from '../configuration-error.ts';
import { editConfiguration } from './edit-configuration.ts';
import { parseJsonDocument } from './json-document.ts';
import { removeProperty, setProperty } from './json-edit.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-edit-'));
const file = join(directory, 'signalbox.config.json');
after(() => rmSync(directory, { recursive: true }));

const commented = `// mine
{
  "mcpServers": {
    // about a
    "a": { "module": "./a.ts" }, // after a
    /* about b */
    "b": { "module": "./b.ts" } // after b
    // the end
  } // after all
}
`;

function edited(text: string, path: readonly string[], value: unknown): string {
  writeFileSync(file, text);
  editConfiguration(file, [{ path, value }]);
  return readFileSync(file, 'utf8');
}

suite('editConfiguration', () => {
  test('adds an entry after the others, and leaves every comment in place', () => {
    const entry = { command: 'npx', args: ['-y', 'x'], env: { A: '1' } };
    assert.equal(
      edited(commented, ['mcpServers', 'c'], entry),
      commented
        .replace('"./b.ts" }', '"./b.ts" },')
        .replace(
          '    // the end\n',
          '    // the end\n    "c": {\n      "command": "npx",\n      "args": ["-y", "x"],\n      "env": {\n        "A": "1"\n      }\n    }\n',
        ),
    );
  });

  test('removes an entry with the comment after it, and leaves no dangling comma', () => {
    assert.equal(
      edited(commented, ['mcpServers', 'b'], undefined),
      commented.replace('}, // after a', '} // after a').replace('    "b": { "module": "./b.ts" } // after b\n', ''),
    );
    assert.equal(
      edited(commented, ['mcpServers', 'a'], undefined),
      commented.replace('    "a": { "module": "./a.ts" }, // after a\n', ''),
    );
  });

  test('preserves Windows line breaks, tabs and the byte order mark', () => {
    const text = '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": { "module": "x" }\r\n\t}\r\n}\r\n';
    assert.equal(
      edited(text, ['mcpServers', 'b'], { module: 'y' }),
      '\ufeff{\r\n\t"mcpServers": {\r\n\t\t"a": { "module": "x" },\r\n\t\t"b": {\r\n\t\t\t"module": "y"\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  test('creates missing parent objects and a missing file', () => {
    assert.deepEqual(JSON.parse(edited('{}', ['mcpServers', 'a'], { npm: 'x' })), { mcpServers: { a: { npm: 'x' } } });
    rmSync(file);
    const result = editConfiguration(file, [{ path: ['mcpServers', 'a'], value: { npm: 'x' } }]);
    assert.equal(result.lineOf(['mcpServers', 'a']), 3);
    assert.equal(result.configuration.servers.length, 1);
    assert.equal(JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))), '{"mcpServers":{"a":{"npm":"x"}}}');
  });

  test('rejects an edit whose result is invalid, and writes nothing', () => {
    for (const [text, path, value] of [
      [commented, ['mcpServers', 'a__b'], { npm: 'x' }],
      [commented, ['mcpServers', 'c'], { comand: 'x' }],
      ['{ "mcpServers": { "a": oops } }', ['mcpServers', 'c'], { npm: 'x' }],
      ['{ "mcpServers": { "a": {"npm": "x"}, "a": {"npm": "y"} } }', ['mcpServers', 'a'], undefined],
    ] as const) {
      assert.throws(() => edited(text, path, value), ConfigurationError);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  test('removes an invalid entry', () => {
    assert.equal(edited('{"mcpServers": {"a": {"oops": 1}}}', ['mcpServers', 'a'], undefined), '{"mcpServers": {}}');
  });

  test('replaces the file atomically: its mode and links stay, and no temporary file is left', () => {
    writeFileSync(file, commented);
    chmodSync(file, 0o640);
    const before = statSync(file).ino;
    const link = join(directory, 'link.json');
    symlinkSync(file, link);
    editConfiguration(link, [{ path: ['mcpServers', 'a', 'disabled'], value: true }]);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.notEqual(statSync(file).ino, before, 'the file was not replaced');
    assert.match(readFileSync(file, 'utf8'), /"a": \{ "module": "\.\/a\.ts", "disabled": true \}, \/\/ after a/);
    assert.deepEqual(readdirSync(directory).toSorted(), ['link.json', 'signalbox.config.json']);
  });
});

test('setProperty and removeProperty change exactly one property of any object in any formatting', () => {
  const space = fc.constantFrom('', ' ', '\n', '\n  ', ' // note, {\n', '/* note } */');
  const key = fc.string({ minLength: 1, maxLength: 4 }).filter((text) => text !== '__proto__');
  const members = fc.uniqueArray(
    fc.tuple(
      key,
      fc.jsonValue({ maxDepth: 1 }).filter((value) => !JSON.stringify(value).includes('__proto__')),
      space,
      space,
    ),
    {
      selector: ([name]) => name,
      maxLength: 4,
    },
  );
  const object = fc.tuple(members, space, fc.boolean()).map(([list, end, trailing]) => {
    const parts = list.map(
      ([name, value, before, following]) => `${before}${JSON.stringify(name)}:${JSON.stringify(value)}${following}`,
    );
    const text = `{${parts.join(',')}${trailing && list.length > 0 ? ',' : ''}${end}}`;
    return { text, value: Object.fromEntries(list.map(([name, value]) => [name, value])) };
  });
  fc.assert(
    fc.property(object, key, ({ text, value }, name) => {
      const set = setProperty(text, [name], { x: [1] });
      assert.deepEqual(parseJsonDocument(set).value, JSON.parse(JSON.stringify({ ...value, [name]: { x: [1] } })));
      for (const each of [name, ...Object.keys(value)]) {
        const { [each]: _removed, ...rest } = value;
        assert.deepEqual(parseJsonDocument(removeProperty(text, [each])).value, JSON.parse(JSON.stringify(rest)));
      }
    }),
    { numRuns: 500 },
  );
});
