import {
  type McpServerOptions,
  type OAuthOptions,
  type Signalbox,
  type ToolDefinition,
  createSignalbox,
  mcpServer,
  signIn,
} from '../../src/index.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { browse } from '../mcp-servers/protected-server.ts';
import type { Scenario } from './players.ts';

type Context = Scenario['context'];

/** The message of a server that needs a sign-in. */
const howToSignIn = 'the suite requires a sign-in';
/** A second sign-in is needed if the server requires more scopes than it declared, or has moved. */
const maxSignIns = 2;

/** Adds the server and uses everything that it offers, with a sign-in if needed. Returns the result of each attempt. */
export async function playScenario({ url, name, context }: Scenario): Promise<string> {
  const oauth = name.startsWith('auth/') ? oauthOptions(name, context) : undefined;
  const transport = { type: 'http', url, ...(oauth === undefined ? {} : { oauth }) } as const;
  const attempts: string[] = [];
  for (let signIns = 0; ; signIns += 1) {
    const result = await useEverything({ name: 'suite', transport, onElicit: acceptDefaults }, context);
    attempts.push(result);
    if (oauth === undefined || signIns === maxSignIns || !result.includes(howToSignIn)) return attempts.join('\n');
    await signIn({ ...transport, oauth }, { onAuthorize: (address) => void browse(address), timeoutMs: 15_000 });
  }
}

function oauthOptions(scenario: string, context: Context): OAuthOptions {
  const { client_id: id, client_secret: secret, private_key_pem: key, valid_jwt: assertion } = context;
  return {
    howToSignIn,
    ...(scenario.startsWith('auth/client-credentials') ? { grant: 'client_credentials' } : {}),
    ...(typeof assertion === 'string' ? { grant: 'jwt_bearer', assertion: () => assertion } : {}),
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    ...(typeof id === 'string' ? { clientId: id } : {}),
    ...(typeof secret === 'string' ? { clientSecret: secret } : {}),
    ...(typeof key === 'string' ? { privateKey: key } : {}),
  };
}

/** Uses everything that a server offers. Returns the problems, or a message that there are none. */
async function useEverything(options: McpServerOptions, context: Context): Promise<string> {
  // On a busy machine, a server may need longer to answer the probe of its revision.
  const server = mcpServer({ connectTimeoutMs: 60_000, ...options });
  const box = await createSignalbox({ servers: [server], builtin: false, approve: () => ({ allow: true }) });
  try {
    await server.ready();
    const { state, lastError = '' } = server.health();
    if (state !== 'up') return lastError;
    const problems: string[] = [];
    for (const [tool, args] of callsFor(box, context)) {
      const { outcome, error } = await box.call(tool, args);
      if (outcome !== 'completed') problems.push(`${tool}: ${error?.message ?? outcome}`);
    }
    for (const { uri } of box.resources.list()) await box.resources.read(server.server, uri);
    for (const { name } of box.prompts.list()) await box.prompts.get(server.server, name);
    return problems.join('\n') || 'everything was used';
  } finally {
    await box.close({ graceMs: 0 });
  }
}

/** Returns the calls that the scenario names, or one call of each tool. */
function callsFor(box: Signalbox, context: Context): (readonly [tool: string, args: JsonObject])[] {
  const tools = box.tools();
  const named = context['toolCalls'] as readonly { name: string; arguments: JsonObject }[] | undefined;
  if (named === undefined) return tools.map((tool) => [tool.name, argumentsFor(tool, tools)]);
  return named.map(({ name, arguments: args }) => [`mcp__suite__${name}`, withoutNulls(args)]);
}

/** Removes `null` values, because Signalbox rejects arguments that do not match the schema. */
function withoutNulls(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

const samples: Readonly<Record<string, JsonValue>> = {
  string: 'a',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function sampleOf(type: JsonValue | undefined): JsonValue | undefined {
  return typeof type === 'string' ? samples[type] : undefined;
}

/** Returns a value for each property of the schema. The value of a property `schema` is the schema of the first tool. */
function argumentsFor({ inputSchema }: ToolDefinition, [first]: readonly ToolDefinition[]): JsonObject {
  const { properties } = inputSchema as JsonObject;
  return Object.fromEntries(
    Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, schema]): [string, JsonValue][] => {
      const { type, enum: values } = isJsonObject(schema) ? schema : {};
      if (name === 'schema') return [[name, (first?.inputSchema ?? {}) as JsonObject]];
      const value = Array.isArray(values) ? (values as readonly JsonValue[])[0] : sampleOf(type);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Accepts a form with its defaults, as a user who presses "OK". */
function acceptDefaults({ requestedSchema }: JsonObject): JsonObject {
  const { properties } = isJsonObject(requestedSchema) ? requestedSchema : {};
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  const content = fields.flatMap(([name, schema]): [string, JsonValue][] => {
    const value = isJsonObject(schema) ? (schema['default'] ?? sampleOf(schema['type'])) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return { action: 'accept', content: Object.fromEntries(content) };
}
