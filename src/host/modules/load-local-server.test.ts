import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadLocalServer } from './load-local-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-modules-'));
after(() => rmSync(directory, { recursive: true }));

async function stateOf(file: string, source?: string): Promise<{ tools: string[]; reason: string | undefined }> {
  const module = join(directory, file);
  if (source !== undefined) writeFileSync(module, source);
  const server = await loadLocalServer({ kind: 'local', name: 'notes', module, disabled: false, limits: {} });
  const { tools, down } = server.state();
  return { tools: tools.map((tool) => tool.tool), reason: down?.reason };
}

test('loadLocalServer imports a TypeScript module', async () => {
  const source = `export const add = { name: 'add', description: 'Adds.', run: ({ a }: { a: number }): number => a + 1 };`;
  assert.deepEqual(await stateOf('good.ts', source), { tools: ['add'], reason: undefined });
});

test('loadLocalServer returns a server that is down for an unusable module, with the reason and a hint', async () => {
  const cases: [string, string | undefined, RegExp][] = [
    ['absent.ts', undefined, /there is no file .*absent\.ts; correct "module"/],
    [
      'throws.ts',
      'throw new Error("no database");',
      /throws\.ts cannot be imported: no database \(at .*throws\.ts:1\)$/,
    ],
    ['enum.ts', 'enum A { B }\nexport default A;', /enum.*\(Node removes types but compiles nothing/],
    ['package.ts', 'import "no-such-package-anywhere";', /no-such-package-anywhere.*\(install the package/],
    ['ending.ts', 'import "./good";', /\(imports need the file ending/],
    ['type.ts', 'import { Note } from "./other.ts"; export default [];', /\(types are imported with "import type"\)/],
    ['text.txt', 'hello', /\.txt.*\(a module is a \.ts/],
    ['syntax.ts', 'export default [', /syntax\.ts cannot be imported: /],
    ['nothing.ts', 'export const a = 1;', /nothing\.ts: it exports no tool and no server/],
  ];
  writeFileSync(join(directory, 'other.ts'), 'export type Note = string;');
  for (const [file, source, expected] of cases) {
    const { tools, reason } = await stateOf(file, source);
    assert.deepEqual(tools, []);
    assert.match(reason ?? '', expected);
    assert.doesNotMatch(reason ?? '', /\n/, 'more than one line');
  }
});
