import { configurationSchema } from './configuration-schema.ts';

/**
 * Descriptions of the configuration keys for editors and the reference, by path; `*` is any name, `[]` any item. They are
 * not part of the schema, so that a start does not load them.
 */
export const keyDescriptions: Readonly<Record<string, string>> = {
  $schema: 'The schema of this file, for editors; `signalbox init` writes one beside it.',
  mcpServers: 'The servers whose tools can be called, by name. The shape of `.mcp.json` works as it is.',
  'mcpServers.*.module': 'A module of yours that exports tools made by `defineTool`; from the directory of this file.',
  'mcpServers.*.export': 'The one export of the module that is meant; all tools it exports when absent.',
  'mcpServers.*.type':
    'How the server is reached; otherwise `stdio` with a command, `http` with a URL. `websocket` is read as `http`.',
  'mcpServers.*.command': 'The program to start. It gets a process group of its own and a minimal environment.',
  'mcpServers.*.args': 'Arguments of the program. References are resolved.',
  'mcpServers.*.env':
    'Variables for this program alone; `${env:NAME}` and `${secret:NAME}` are resolved when it is started.',
  'mcpServers.*.cwd': 'Where the program is started; the directory of this file unless said otherwise.',
  'mcpServers.*.url': 'The address of a server on the network.',
  'mcpServers.*.headers': 'Headers of every request to it. References are resolved.',
  'mcpServers.*.npm':
    'A package with its exact version, in the place of `npx -y PACKAGE`; started without npx if it is installed.',
  'mcpServers.*.auth': 'How one shows a server on the network who is asking.',
  'mcpServers.*.auth.type':
    '`bearer` sends a token; `oauth` signs in with `signalbox login NAME`, or by itself with client credentials.',
  'mcpServers.*.auth.token': 'The token, by reference: `${secret:NAME}`.',
  'mcpServers.*.auth.grant':
    '`authorization_code` (the default): a human signs in. `client_credentials`: Signalbox signs in as itself. `jwt_bearer`: Signalbox signs in with a token of the platform it runs on.',
  'mcpServers.*.auth.clientId': 'The client as the authorization server knows it; registered by itself when absent.',
  'mcpServers.*.auth.clientSecret': 'Its secret, by reference.',
  'mcpServers.*.auth.privateKey':
    'Its private key in PEM, by reference; signs assertions in the place of a secret (`private_key_jwt`, only with `client_credentials`).',
  'mcpServers.*.auth.assertionFile':
    'The file with the token of the platform, such as a projected Kubernetes token; read for each token request. Only with `jwt_bearer`.',
  'mcpServers.*.auth.clientMetadataUrl': 'The https address of a document that describes the client.',
  'mcpServers.*.auth.scopes': 'What to ask for; what the server names when absent.',
  'mcpServers.*.auth.issuer':
    'The authorization server, where the server’s own word is not enough or it is inside the network.',
  'mcpServers.*.auth.redirectPort': 'The loopback port that the browser comes back to; any free one when absent.',
  'mcpServers.*.tools':
    'How the server’s tools are offered. Tools are named as the server names them, by their new or their full name, and with `*` for several.',
  'mcpServers.*.tools.allow': 'Patterns of the tools to offer, by the server’s names or full names; all when absent.',
  'mcpServers.*.tools.deny':
    'Patterns of the tools to hide, also of allowed ones, by the server’s names or full names.',
  'mcpServers.*.tools.rename': 'New names, by the server’s own; no patterns.',
  'mcpServers.*.tools.describe': 'Other descriptions.',
  'mcpServers.*.tools.title': 'Other titles.',
  'mcpServers.*.tools.arguments':
    'How a tool’s arguments are changed. Under a pattern, it applies to the arguments that a tool has.',
  'mcpServers.*.tools.arguments.*.default': 'Filled in where the caller gives none.',
  'mcpServers.*.tools.arguments.*.hide': 'Not shown, and refused when given.',
  'mcpServers.*.tools.arguments.*.set': 'Always these values; not shown, and refused when given.',
  'mcpServers.*.tools.effect': 'What a tool does to the world. Comes before what the server says of it.',
  'mcpServers.*.tools.providerOptions': 'Options of a tool for one model provider, under the provider’s name.',
  'mcpServers.*.tools.labels':
    'Labels for flow rules, besides those that a tool has; labels of all matching keys are combined.',
  'mcpServers.*.tools.results': 'Limits of the results of single tools, as under `results`.',
  'mcpServers.*.tools.results.*.maxBytes': 'Text and structured content of one result, in bytes.',
  'mcpServers.*.tools.results.*.maxMediaBytes': 'One picture, sound or file, in bytes.',
  'mcpServers.*.tools.schema':
    'Tools that can be called although their input schema cannot check all arguments: `trust`. The parts of the schema that can be checked still are.',
  'mcpServers.*.tools.prefix': 'Begins every description with the name of the server: `[files] …`.',
  'mcpServers.*.labels': 'Labels of every tool of this server, for flow rules.',
  'mcpServers.*.disabled': 'Not started, and its tools hidden.',
  'mcpServers.*.required':
    'Turns and calls on the command line fail before anything begins while this server is not up.',
  'mcpServers.*.timeoutMs': 'How long one of its tools may run (60,000).',
  'mcpServers.*.concurrency': 'How many calls it gets at a time (64); the others wait.',
  'mcpServers.*.rateLimit':
    'How many calls it gets in a span of time; the others wait as long as they may run, or fail.',
  'mcpServers.*.rateLimit.max': 'So many calls.',
  'mcpServers.*.rateLimit.per': 'In any span of this length.',
  'mcpServers.*.cache': 'How long the result of a read is given out again for the same arguments.',
  'mcpServers.*.workspace':
    'The directories that its tools write to: kept before each undoable call, so that it can be undone.',
  'mcpServers.*.roots':
    'The directories that it gets when it asks for roots outside a call, or during a call whose client has none (default: `workspace`).',
  'mcpServers.*.results': 'Limits of the results of this server, as under `results`.',
  'mcpServers.*.results.maxBytes': 'Text and structured content of one result, in bytes.',
  'mcpServers.*.results.maxMediaBytes': 'One picture, sound or file, in bytes.',
  'mcpServers.*.idleStopMs':
    'Stops the server’s process after this long without a call; the next call starts it again.',
  'mcpServers.*.pin':
    'Whether its definitions are pinned when they are first seen, so that changed ones ask until they are accepted (`true`).',
  'mcpServers.*.passthrough': 'Hands the server to Claude as it is: nothing decides its calls, nothing can undo them.',
  'mcpServers.*.trackInvocations': 'With `passthrough`: whether calls are at least recorded (`true`).',
  policies: 'The file with the rules, or the rules themselves.',
  store:
    'Where records are kept: `sqlite` in the data directory, or a `postgres://` address; also as a reference (`${env:DATABASE_URL}`). `SIGNALBOX_STORE` comes first.',
  results: 'Limits of results. Larger results are stored whole and returned shortened.',
  'results.maxBytes':
    'Text and structured content of one result, in bytes (262,144). Text that repeats the structured content is counted once.',
  'results.maxMediaBytes':
    'One picture, sound or file, in bytes (5,242,880); all of a result together may have four times as much.',
  undo: 'How much is kept so that calls can be undone, and for how long.',
  'undo.maxFiles': 'The largest workspace that can be kept, in entries (200,000).',
  'undo.maxBytes': 'The largest workspace that can be kept, in bytes (2 GB).',
  'undo.maxMs': 'How long one look at a workspace may take (60,000).',
  'undo.keepMs': 'How long calls can be undone (7 days).',
  'undo.keepBytes': 'How much is kept besides the present state (5 GB).',
  approvals: 'How questions to humans are kept.',
  'approvals.expireAfter': 'How long a question waits for its answer, and an answer for its call (2h).',
  builtin: 'The built-in server.',
  'builtin.name': 'Its name (`signalbox`).',
  profiles: 'Named views of the catalog, for agents, tokens and MCP clients that should not see all of it.',
  'profiles.*.servers': 'The servers whose tools are seen; all when absent.',
  'profiles.*.tools': 'Patterns of tools, `*` for anything; with `!` in front they leave out, which always wins.',
  'profiles.*.disclosure': 'Whether tools are searched for instead of listed; `auto`: from about 50 on (`never`).',
  'profiles.*.names':
    'What MCP clients call tools by: `full` (`mcp__files__read`), or `own`, as the server named them.',
  'profiles.*.trustsHuman': 'Whether an answer of the user of an MCP client counts as a human’s (`false`).',
  agents: 'What sessions are held with, by name. `demo` is always there.',
  'agents.default': 'The agent of sessions that name none.',
  'agents.*.runtime':
    'What drives its turns: `claude` (Claude Agent SDK), `claude-cli` (Claude Code without the SDK), `model` (any model).',
  'agents.*.model': 'The model; for the runtime `model`: `provider/model`, or `demo`.',
  'agents.*.instructions': 'What the agent is told besides what it is told about Signalbox.',
  'agents.*.profile': 'What of the catalog it sees and may call.',
  'agents.*.cwd': 'The directory of sessions that name none.',
  'agents.*.permissionMode': 'How freely it acts in sessions that do not say (`default`).',
  'agents.*.limits': 'What ends a turn.',
  'agents.*.limits.steps': 'So many answers of the model.',
  'agents.*.limits.costUsd': 'So many US dollars, where the provider tells the cost.',
  'agents.*.limits.tokens': 'So many tokens.',
  'agents.*.limits.time': 'So much time.',
  'agents.*.env': 'Variables for Claude Code, besides its own and a few harmless ones.',
  'agents.*.settingSources': 'Whose settings Claude Code reads; none unless named.',
  'agents.*.toolSearch': 'Lets Claude search for tools instead of showing it all of them.',
  'agents.*.executable': 'The program; otherwise `claude` on the PATH, or the one that the SDK brings along.',
  'agents.*.providers': 'How model providers are reached, by name.',
  'agents.*.providers.*.apiKey':
    'The key, by reference; `anthropic`, `openai` and `google` find theirs in the usual variable.',
  'agents.*.providers.*.baseURL':
    'The address. A name of your own with one is an endpoint that speaks OpenAI’s chat API.',
  'agents.*.providers.*.headers': 'Headers of every request.',
  'agents.*.providers.*.api': 'Which API of OpenAI is spoken (`responses`).',
  'agents.*.providers.*.options': 'What the provider takes with each request.',
  oauth: 'Lets clients of the MCP endpoint in with tokens of an authorization server of yours.',
  'oauth.url': 'Where clients reach this server, if not at the address it listens on.',
  'oauth.issuers': 'The authorization servers whose tokens are taken.',
  'oauth.issuers.[].issuer': 'As its tokens name it (`iss`), and as its metadata does.',
  'oauth.issuers.[].audience':
    'What its tokens must be for (`aud`); the address of the endpoint unless said otherwise.',
  'oauth.issuers.[].jwksUrl': 'Where its keys are; otherwise its metadata says it.',
  'oauth.issuers.[].algorithms': 'Which signatures are taken; all with a public key unless said otherwise.',
  'oauth.issuers.[].claim': 'Where the scopes stand; `scope` and `scp` unless said otherwise.',
  'oauth.issuers.[].scopes':
    'What scopes are good for; otherwise `signalbox:agent`, and `signalbox:profile:{name}` for one profile.',
  'oauth.issuers.[].scopes.*.profile': 'The one profile that the scope is good for; everything when absent.',
  secrets: 'Environment variables whose values are never recorded.',
  retention: 'How long entries of the journal are kept; for ever unless said.',
  'retention.journal': 'Entries that are older go, once they are written to a file.',
  'retention.exportTo': 'The directory of those files.',
  startup: 'How servers are started.',
  'startup.concurrency': 'The number of programs that start at the same time (4).',
  'startup.wait':
    'How long after the start `tools/list`, and the turn of an agent, wait for servers that are still starting (8s). Their tools are listed when they are up.',
};

/** The keywords of JSON Schema that Zod writes for a configuration. */
export interface SettingsSchema {
  title?: string;
  type?: string;
  description?: string;
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Record<string, SettingsSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | SettingsSchema;
  items?: SettingsSchema;
  anyOf?: readonly SettingsSchema[];
  oneOf?: readonly SettingsSchema[];
}

/** Returns the JSON Schema of a configuration file with descriptions. */
export function describedConfigurationSchema(): SettingsSchema {
  const schema: SettingsSchema = configurationSchema();
  eachKey(schema, (path, part) => {
    const description = keyDescriptions[path];
    if (description !== undefined) part.description = description;
  });
  return schema;
}

/** Calls `visit` for every key of a configuration; twice for a key that two kinds of entry have. */
export function eachKey(
  schema: SettingsSchema,
  visit: (path: string, part: SettingsSchema, isRequired: boolean) => void,
  path: readonly string[] = [],
): void {
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    const place = [...path, key];
    visit(place.join('.'), part, schema.required?.includes(key) === true);
    eachKey(part, visit, place);
  }
  if (typeof schema.additionalProperties === 'object') eachKey(schema.additionalProperties, visit, [...path, '*']);
  if (schema.items !== undefined) eachKey(schema.items, visit, [...path, '[]']);
  for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) eachKey(choice, visit, path);
}
