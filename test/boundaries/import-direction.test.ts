import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import * as rules from './rules.ts';
import { parseSource, readSourceGraph, type SourceFile } from './source-graph.ts';

const sourceGraph = readSourceGraph(join(import.meta.dirname, '..', '..', 'src'));

describe('architecture of src', () => {
  test('contains source files', () => assert.ok(sourceGraph.some(({ files }) => files.length > 0)));
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => assert.deepEqual(rule(sourceGraph), []));
  }
});

describe('architecture of the console', () => {
  const files = readSourceGraph(join(import.meta.dirname, '..', '..', 'console', 'src'));
  const handwritten = files.filter(({ path }) => path !== 'api/schema.ts');
  const { noTestImports, noCycles, maxFileLength, descriptiveNames } = rules;

  test('contains source files', () => assert.ok(files.some(({ path }) => path.endsWith('.tsx'))));
  for (const [name, rule] of Object.entries({ noTestImports, noCycles, maxFileLength, descriptiveNames })) {
    test(name, () => assert.deepEqual(rule(handwritten), []));
  }
  test('imports only the packages of the console', () => {
    const known = new Set(['react', 'react-dom/client', '@tanstack/react-query', '@tanstack/react-virtual', 'marked']);
    for (const { path, packages } of files)
      assert.deepEqual(
        packages.filter((name) => !known.has(name)),
        [],
        `${path} imports another package`,
      );
  });
});

describe('each architecture rule reports a breach', () => {
  const breaches: Record<keyof typeof rules, readonly (readonly [breach: string, ...files: SourceFile[]])[]> = {
    knownFolders: [
      ['plugins/loader.ts is in no folder of the architecture', file('plugins/loader.ts')],
      ['adapters.ts is in no folder of the architecture', file('adapters.ts')],
    ],
    importDirection: [
      [
        'core/calls/call.ts imports pipeline/call.ts, but core may not import pipeline',
        file('core/calls/call.ts', `import type { Call } from '../../pipeline/call.ts';`),
      ],
      [
        'policy/facts/facts.ts imports journal/entries/stored-entry.ts, but policy may not import journal',
        file('policy/facts/facts.ts', `export * from '../../journal/entries/stored-entry.ts';`),
      ],
      [
        'pipeline/call-lifecycle.ts imports store/store.ts, but pipeline may not import store',
        file('pipeline/call-lifecycle.ts', `const store = await import('../store/store.ts');`),
      ],
      [
        'sources/mcp/a.ts imports surfaces/mcp/b.ts, but sources may not import surfaces',
        file('sources/mcp/a.ts', `import '../../surfaces/mcp/b.ts';`),
      ],
      [
        'runtimes/a.ts imports sessions/b.ts, but runtimes may not import sessions',
        file('runtimes/a.ts', `type B = import('../sessions/b.ts').B;`),
      ],
      [
        'signalbox/a.ts imports server/app.ts, but signalbox may not import server',
        file('signalbox/a.ts', `import '../server/app.ts';`),
      ],
      [
        'pipeline/call-lifecycle.ts imports signalbox/a.ts, but pipeline may not import signalbox',
        file('pipeline/call-lifecycle.ts', `import '../signalbox/a.ts';`),
      ],
      [
        'config/read.ts imports server/app.ts, but config may not import server',
        file('config/read.ts', `import '../server/app.ts';`),
      ],
      [
        'index.ts imports cli/main.ts, but index.ts may not import cli',
        file('index.ts', `export { main } from './cli/main.ts';`),
      ],
    ],
    noTestImports: [
      [
        'store/a.ts imports store/a.conformance.ts, which is not shipped',
        file('store/a.ts', `import './a.conformance.ts';`),
      ],
      ['store/a.ts imports ../test/run.ts, which is not shipped', file('store/a.ts', `import '../../test/run.ts';`)],
    ],
    noCycles: [
      [
        'pipeline/a.ts → pipeline/b.ts → pipeline/a.ts',
        file('pipeline/a.ts', `import './b.ts';`),
        file('pipeline/b.ts', `import type { A } from './a.ts';`),
      ],
      ['pipeline/a.ts → pipeline/a.ts', file('pipeline/a.ts', `import './a.ts';`)],
    ],
    packagesInTheirFolders: [
      [
        'server/a.ts imports @modelcontextprotocol/client, which belongs in sources/mcp and surfaces/mcp',
        file('server/a.ts', `import '@modelcontextprotocol/client';`),
      ],
      [
        'runtimes/model/a.ts imports @anthropic-ai/claude-agent-sdk, which belongs in runtimes/claude and surfaces/claude',
        file('runtimes/model/a.ts', `import '@anthropic-ai/claude-agent-sdk';`),
      ],
      [
        'sessions/a.ts imports ai, which belongs in runtimes/model and surfaces/ai-sdk',
        file('sessions/a.ts', `await import('ai');`),
      ],
      [
        'cli/a.ts imports hono/streaming, which belongs in server and surfaces/mcp',
        file('cli/a.ts', `import 'hono/streaming';`),
      ],
      [
        'store/postgres/a.ts imports node:sqlite, which belongs in store/sqlite and core/locks',
        file('store/postgres/a.ts', `import 'node:sqlite';`),
      ],
      ['store/sqlite/a.ts imports pg, which belongs in store/postgres', file('store/sqlite/a.ts', `import 'pg';`)],
      [
        'pipeline/a.ts imports ajv/dist/2020.js, which belongs in catalog',
        file('pipeline/a.ts', `import 'ajv/dist/2020.js';`),
      ],
    ],
    noPackages: [
      [
        'core/a.ts imports zod, but core has no dependencies',
        file('core/a.ts', `import 'node:crypto';\nimport 'zod';`),
      ],
    ],
    environmentInOnePlace: [
      [
        'sources/a.ts reads process.env, which only host/environment.ts may do',
        file('sources/a.ts', `export const path = process.env['PATH'];`),
      ],
      [
        'cli/a.ts reads process.env, which only host/environment.ts may do',
        file('cli/a.ts', `const { argv, env } = process; export default [argv, env];`),
      ],
    ],
    maxFileLength: [
      [
        'pipeline/a.ts has 501 lines, at most 500 are allowed',
        file('pipeline/a.ts', '\n'.repeat(500) + 'export {};\n'),
      ],
    ],
    descriptiveNames: [
      ['pipeline/utils.ts is named "utils", which has no meaning', file('pipeline/utils.ts')],
      ['sessions/session-manager.ts is named "manager", which has no meaning', file('sessions/session-manager.ts')],
      ['common/a.ts is named "common", which has no meaning', file('common/a.ts')],
    ],
  };
  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => {
      for (const [breach, ...files] of breaches[name as keyof typeof rules]) assert.deepEqual(rule(files), [breach]);
    });
  }
});

describe('each architecture rule accepts valid files', () => {
  const valid = [
    file('sessions/turn.ts', `import type { Runtime } from '../runtimes/runtime.ts';`),
    file('catalog/catalog.test.ts', `import '../store/sqlite/sqlite-store.ts';\nimport 'node:sqlite';`),
    file('store/store.conformance.ts', `import '../server/app.ts';`),
    file('surfaces/mcp/endpoint.ts', `import 'hono';\nimport '@modelcontextprotocol/server';`),
    file('cli/serve.ts', `import '../server/app.ts';\nimport '../config/read.ts';\nimport '../signalbox/a.ts';`),
    file('server/app.ts', `// import '../cli/main.ts'\nconst text = "import '../cli/main.ts'";`),
  ];
  for (const [name, rule] of Object.entries(rules)) test(name, () => assert.deepEqual(rule(valid), []));
});

function file(path: string, source = 'export {};'): SourceFile {
  return parseSource(path, source);
}
