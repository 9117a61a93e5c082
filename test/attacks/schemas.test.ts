import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { join } from 'node:path';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { SchemaCompiler } from '../../src/catalog/schema/schema-compiler.ts';
import { configuredServer } from '../../src/catalog/transforms/shaping/shape-source.ts';
import { type Signalbox, type Source, createSignalbox, defineTool, localServer, mcpServer } from '../../src/index.ts';
import type { JsonObject } from '../../src/core/json/json.ts';

const object = (properties: object, more: object = {}): JsonObject =>
  ({ type: 'object', properties, ...more }) as JsonObject;

/** Returns the program of an MCP server that lists one tool for each schema and returns the arguments of its calls. */
function serverProgram(tools: Readonly<Record<string, JsonObject>>): string {
  const list = Object.entries(tools).map(([name, inputSchema]) => ({
    name,
    inputSchema,
    annotations: { readOnlyHint: true },
  }));
  return `
const tools = ${JSON.stringify(list)};
const answer = ({ method, params }) => {
  if (method === 'initialize')
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
  if (method === 'tools/list') return { tools };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'RAN ' + JSON.stringify(params.arguments).slice(0, 100) }] };
  return {};
};
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.id !== undefined)
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }) + '\\n');
  }
});
`;
}

/** Runs `use` with a box around the MCP server of these tools, in the form that `shape` gives it. */
async function withServer(
  tools: Readonly<Record<string, JsonObject>>,
  use: (box: Signalbox) => Promise<void>,
  schema: Readonly<Record<string, 'trust'>> = {},
  shape: (server: Source) => Source = (server) => server,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-schemas-'));
  const program = join(directory, 'server.mjs');
  writeFileSync(program, serverProgram(tools));
  const server = mcpServer({
    name: 'x',
    transport: { type: 'stdio', command: process.execPath, args: [program] },
    schema,
  });
  const box = await createSignalbox({ servers: [shape(server)] });
  try {
    await server.ready();
    await use(box);
  } finally {
    await box.close();
    rmSync(directory, { recursive: true });
  }
}

const unusable: Readonly<Record<string, JsonObject>> = {
  invalid: object({ to: { type: 'strnig' } }),
  missing_reference: object({ to: { $ref: '#/definitions/nowhere' } }),
  remote_reference: object({ to: { $ref: 'https://schemas.test/person.json' } }),
  backreference: object({ to: { type: 'string', pattern: '^(a+)\\1+$' } }),
  too_many_parts: object(
    Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [
        `p${index}`,
        {
          anyOf: [{ type: 'string' }, { type: 'number', minimum: index }, { type: 'array', items: { type: 'string' } }],
        },
      ]),
    ),
  ),
};

describe('schema that cannot be checked', () => {
  test('makes its tool uncallable, with the reason in the listing and in the error of the call', async () => {
    await withServer({ ...unusable, good: object({ to: { type: 'string' } }) }, async (box) => {
      assert.deepEqual(
        box
          .catalog()
          .tools.filter(({ id }) => id.server === 'x')
          .map(({ id }) => id.tool),
        ['good'],
      );
      for (const name of Object.keys(unusable)) {
        const hidden = box.catalog().hidden.find((tool) => tool.name === `mcp__x__${name}`);
        assert.match(hidden?.reason ?? '', /cannot be checked: .*"schema": "trust"/, name);
        const { outcome, error } = await box.call(`mcp__x__${name}`, { to: { anything: true } });
        assert.deepEqual([outcome, error?.code], ['denied', 'tool-hidden'], name);
        assert.ok(error?.message.includes(hidden?.reason ?? 'no reason'), error?.message);
      }
    });
  });

  test('makes a local tool uncallable as well', async () => {
    const run = (): string => 'RAN';
    const tools = [
      defineTool({ name: 'bad', description: 'Acts.', effect: 'read', input: unusable['invalid'] ?? {}, run }),
      defineTool({
        name: 'open',
        description: 'Acts.',
        effect: 'read',
        input: unusable['invalid'] ?? {},
        run,
        schema: 'trust',
      }),
    ];
    const box = await createSignalbox({ servers: [localServer({ name: 'x', tools })] });
    assert.equal((await box.call('mcp__x__bad', {})).error?.code, 'tool-hidden');
    assert.equal((await box.call('mcp__x__open', { to: 1 })).outcome, 'completed');
    await box.close();
  });

  test('is accepted with "schema": "trust", and the parts that can be checked still are', async () => {
    const backreference = object({ to: { type: 'string', pattern: '^(a+)\\1+$' }, amount: { type: 'number' } });
    const check = async (box: Signalbox): Promise<void> => {
      const outcomeOf = async (name: string, args: object): Promise<string> =>
        (await box.call(`mcp__x__${name}`, args)).outcome;
      assert.equal(await outcomeOf('invalid', { to: 1 }), 'completed');
      assert.equal(await outcomeOf('backreference', { to: 'abc', amount: 1 }), 'completed');
      assert.equal(await outcomeOf('backreference', { to: 'abc', amount: 'much' }), 'failed');
      assert.equal(await outcomeOf('missing_reference', {}), 'denied');
      const notice = box.catalog().notices.find(({ tool }) => tool === 'mcp__x__invalid');
      assert.match(notice?.message ?? '', /its schema is trusted, although/);
    };
    const tools = { ...unusable, backreference };
    await withServer(tools, check, { invalid: 'trust', backreference: 'trust' });

    const shaping = { origin: 'signalbox.config.json', schema: { invalid: 'trust', 'back*': 'trust' } } as const;
    await withServer(tools, check, {}, (server) => configuredServer(server, shaping));
  });

  test('does not include unknown keywords, formats and dialects: they are ignored, a dialect with a notice', async () => {
    const tools = {
      keyword: object({ to: { type: 'string', 'x-order': 1, format: 'iban', nullable: true } }),
      dialect: object({ to: { type: 'string' } }, { $schema: 'https://schemas.test/own-dialect' }),
    };
    await withServer(tools, async (box) => {
      for (const name of Object.keys(tools)) {
        assert.equal((await box.call(`mcp__x__${name}`, { to: 'x' })).outcome, 'completed');
        assert.equal((await box.call(`mcp__x__${name}`, { to: 1 })).error?.code, 'arguments-invalid');
      }
      const notice = box.catalog().notices.find(({ tool }) => tool === 'mcp__x__dialect');
      assert.match(
        notice?.message ?? '',
        /unknown dialect "https:\/\/schemas.test\/own-dialect" and is read as 2020-12/,
      );
    });
  });
});

describe('dialect of a schema', () => {
  const at = (draft: string): string => `http://json-schema.org/${draft}/schema#`;
  const cases: Readonly<Record<string, { schema: JsonObject; good: JsonObject; bad: JsonObject }>> = {
    'draft-04, boolean exclusiveMinimum and id': {
      schema: object(
        { n: { type: 'number', minimum: 5, exclusiveMinimum: true }, s: { $ref: 'http://x.test/s#/definitions/s' } },
        { $schema: at('draft-04'), id: 'http://x.test/s', definitions: { s: { type: 'string' } } },
      ),
      good: { n: 5.1, s: 'x' },
      bad: { n: 5 },
    },
    'draft-04 without $schema': {
      schema: object({ n: { type: 'number', maximum: 5, exclusiveMaximum: true } }),
      good: { n: 4 },
      bad: { n: 5 },
    },
    'draft-06': {
      schema: object({ n: { exclusiveMinimum: 5 }, c: { const: 1 } }, { $schema: at('draft-06') }),
      good: { n: 6, c: 1 },
      bad: { c: 2 },
    },
    'draft-07, an items list in a schema that refers to its own $id': {
      schema: object(
        { pair: { items: [{ type: 'string' }, { type: 'number' }] }, next: { $ref: 'http://x.test/pair' } },
        { $schema: at('draft-07'), $id: 'http://x.test/pair' },
      ),
      good: { next: { pair: ['a', 1] } },
      bad: { next: { pair: ['a', 'b'] } },
    },
    'an items list without a dialect': {
      schema: object({ pair: { items: [{ type: 'string' }, { type: 'number' }] } }),
      good: { pair: ['a', 1] },
      bad: { pair: ['a', 'b'] },
    },
    '2019-09, $recursiveRef and dependentRequired': {
      schema: object(
        { next: { $recursiveRef: '#' }, a: {} },
        {
          $schema: 'https://json-schema.org/draft/2019-09/schema',
          dependentRequired: { a: ['b'] },
          unevaluatedProperties: false,
        },
      ),
      good: { next: { next: {} } },
      bad: { next: { a: 1 } },
    },
    'references to the own absolute $id and into it': {
      schema: object(
        { next: { $ref: 'https://x.test/node.json' }, to: { $ref: 'https://x.test/node.json#/$defs/to' } },
        { $id: 'https://x.test/node.json', $defs: { to: { type: 'string' } } },
      ),
      good: { next: { next: { to: 'x' } } },
      bad: { next: { next: { to: 1 } } },
    },
    'required names that every object inherits': {
      schema: object({}, { required: ['toString', 'constructor', '__proto__'] }),
      good: JSON.parse('{"toString":1,"constructor":2,"__proto__":3}') as JsonObject,
      bad: {},
    },
  };
  for (const [name, { schema, good, bad }] of Object.entries(cases))
    test(`supports ${name}`, async () => {
      await withServer({ act: schema }, async (box) => {
        const hidden = box.catalog().hidden.find((tool) => tool.name === 'mcp__x__act');
        assert.equal(hidden?.reason, undefined);
        assert.equal((await box.call('mcp__x__act', good)).outcome, 'completed');
        assert.equal((await box.call('mcp__x__act', bad)).error?.code, 'arguments-invalid');
      });
    });

  test('separates two schemas with the same $id that refer to it', () => {
    const compiler = new SchemaCompiler();
    const $id = 'https://x.test/same';
    const [one, two] = ['string', 'number'].map((type) =>
      compiler.compile({ $id, anyOf: [{ type }, { type: 'array', items: { $ref: $id } }] }),
    );
    assert.ok(one?.ok === true && two?.ok === true);
    assert.deepEqual([one.validate(['x']), two.validate([1])], [undefined, undefined]);
    assert.ok(one.validate([1]) !== undefined && two.validate(['x']) !== undefined);
  });
});

describe('cost of a hostile schema', () => {
  /** The steps of the runtime's regex engine cannot be counted, so this tests that no pattern reaches it: see linear-pattern.test.ts. */
  const evil = ['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '(.*a){12}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '^(?=(a+)+$).*!$'];

  test('patterns that backtrack are checked to the end, even on long text', async () => {
    const text = 'a'.repeat(50_000);
    const tools = Object.fromEntries(
      evil.map((pattern, index) => [`t${index}`, object({ to: { type: 'string', pattern } })]),
    );
    await withServer(tools, async (box) => {
      const calls = evil.flatMap((_, index) =>
        Array.from({ length: 3 }, () => box.call(`mcp__x__t${index}`, { to: `${text}!` })),
      );
      for (const { error } of await Promise.all(calls)) {
        assert.equal(error?.code, 'arguments-invalid');
        assert.match(error?.message ?? '', /must match pattern/, 'the pattern was checked to the end');
      }
    });
  });

  test('a schema with thousands of parts is rejected without compilation', () => {
    const compiled = new SchemaCompiler().compile(unusable['too_many_parts'] ?? true);
    assert.ok(!compiled.ok);
    assert.match(compiled.reason, /it has \d+ parts, more than the 4000 that are compiled/);
    const long = new SchemaCompiler().compile({ description: 'x'.repeat(3_000_000) });
    assert.ok(!long.ok);
    assert.match(long.reason, /characters, more than/);
  });
});
