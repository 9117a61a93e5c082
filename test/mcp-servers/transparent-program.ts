/**
 * A server without an SDK, for every revision, that sends fields which gateways tend to lose: unknown fields, `_meta`, empty content,
 * icons, errors with data.
 */
import { createInterface } from 'node:readline';

type Params = Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };

class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const icons = [{ src: 'data:image/svg+xml;base64,PHN2Zy8+', mimeType: 'image/svg+xml', sizes: ['any'] }];
const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, 'x-order': 1 };
const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
const read = { readOnlyHint: true };
const meta = { 'example.com/trace': 'abc', nested: { list: [1, null, 'two'] } };
const text = { type: 'text', text: 'said', annotations: { audience: ['user'], priority: 0.5 }, _meta: { part: 1 } };

const tools = [
  { name: 'plain', inputSchema },
  {
    name: 'rich',
    title: 'Rich',
    description: 'Has everything.',
    inputSchema,
    outputSchema,
    icons,
    execution: { taskSupport: 'forbidden' },
    annotations: { title: 'Rich tool', readOnlyHint: true, openWorldHint: false },
    _meta: { ...meta, ui: { resourceUri: 'ui://rich' } },
  },
  { name: 'empty', description: 'Says nothing.', inputSchema, annotations: read },
  { name: 'failing', description: 'Fails without a word.', inputSchema, annotations: read },
  { name: 'refusing', description: 'Answers with an error.', inputSchema, annotations: read },
  { name: 'titled', description: 'Has its title in its hints.', inputSchema, annotations: { title: 'T', ...read } },
];

const results: Readonly<Record<string, () => object>> = {
  plain: () => ({ content: [text], isError: false }),
  rich: () => ({
    content: [text, { type: 'resource', resource: { uri: 'a://b', text: 'inside', _meta: { part: 2 } } }],
    structuredContent: { n: 1 },
    _meta: meta,
    unknown: { field: true },
    status: 'fine',
  }),
  empty: () => ({ content: [], _meta: meta }),
  failing: () => ({ content: [], isError: true, structuredContent: { why: 'secret' }, reason: 7 }),
  refusing: () => {
    throw new RpcFailure(-31_337, 'Refused: not today', { retryAfter: 5, list: ['a'] });
  },
};

const methods: Readonly<Record<string, (params: Params) => object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: 'transparent', version: '1' },
  }),
  'server/discover': () => ({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: {}, prompts: {} },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'transparent', version: '1' } },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => results[String(name)]?.() ?? {},
  'resources/list': () => ({
    resources: [{ uri: 'note://one', name: 'one', title: 'One', icons, size: 3, _meta: meta, extra: 1 }],
  }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'note://{id}', name: 'note', icons }] }),
  'resources/read': ({ uri }) => {
    if (uri !== 'note://one') throw new RpcFailure(-32_602, `no note ${String(uri)}`, { uri, hint: 'try note://one' });
    return {
      contents: [{ uri, mimeType: 'text/plain', text: 'one\u200b', _meta: meta }],
      _meta: meta,
      unknown: 'kept',
    };
  },
  'prompts/list': () => ({
    prompts: [{ name: 'greet', title: 'Greet', icons, arguments: [{ name: 'who' }], _meta: meta }],
  }),
  'prompts/get': ({ arguments: args }) => {
    if (args === undefined || Object.keys(args as object).length === 0)
      throw new RpcFailure(-32_602, 'who is missing', { missing: ['who'] });
    return {
      description: 'Greets.',
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${JSON.stringify(args)}.` }, _meta: meta }],
      _meta: meta,
      unknown: ['kept'],
    };
  },
  ping: () => ({}),
};

const cached = new Set(['tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list']);

function answer(method: string, params: Params): object {
  const isModern = params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
  try {
    const handler = methods[method];
    if (handler === undefined || (method === 'initialize' && isModern))
      throw new RpcFailure(-32_601, `no method ${method}`);
    const modern = { resultType: 'complete', ...(cached.has(method) ? { ttlMs: 5000, cacheScope: 'private' } : {}) };
    return { result: { ...handler(params), ...(isModern ? modern : {}) } };
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

const isLegacy = process.argv[2] === 'legacy';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line) as { id?: unknown; method: string; params?: Params };
  if (id === undefined) return;
  const known = isLegacy && method === 'server/discover' ? 'none' : method;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(known, params) })}\n`);
});
