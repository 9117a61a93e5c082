import { configurationSchema } from './configuration-schema.ts';

/**
 * Descriptions of the configuration keys for editors and the reference, by path; `*` is any name, `[]` any item. They are
 * not part of the schema, so that a start does not load them.
 */
export const keyDescriptions: Readonly<Record<string, string>> = {
  $schema: 'The schema of this file, for editors. `signalbox init` writes one next to it.',
  mcpServers: 'The servers whose tools can be called, by name. Accepts the format of `.mcp.json`.',
  'mcpServers.*.module':
    'The path of a module that exports tools created with `defineTool`, relative to the directory of this file.',
  'mcpServers.*.export': 'The name of the export to use (default: all exported tools).',
  'mcpServers.*.type':
    'The transport (default: `stdio` with a command, `http` with a URL). `websocket` is read as `http`.',
  'mcpServers.*.command': 'The program to start. It gets its own process group and a minimal environment.',
  'mcpServers.*.args': 'The arguments of the program. References are resolved.',
  'mcpServers.*.env':
    'Environment variables for this program only. `${env:NAME}` and `${secret:NAME}` are resolved when it is started.',
  'mcpServers.*.cwd': 'The working directory of the program (default: the directory of this file).',
  'mcpServers.*.url': 'The URL of a remote server.',
  'mcpServers.*.headers': 'Headers of every request to the server. References are resolved.',
  'mcpServers.*.npm':
    'An npm package with its exact version, instead of `npx -y PACKAGE`. An installed package is started without npx.',
  'mcpServers.*.auth': 'The authentication at a remote server.',
  'mcpServers.*.auth.type':
    '`bearer` sends a token; `oauth` signs in with `signalbox login NAME`, or automatically with client credentials.',
  'mcpServers.*.auth.token': 'The token, as a reference: `${secret:NAME}`.',
  'mcpServers.*.auth.grant':
    '`authorization_code` (the default): a human signs in. `client_credentials`: Signalbox signs in as itself. `jwt_bearer`: Signalbox signs in with a token of the platform it runs on.',
  'mcpServers.*.auth.clientId': 'The client ID at the authorization server (default: registered automatically).',
  'mcpServers.*.auth.clientSecret': 'The client secret, as a reference.',
  'mcpServers.*.auth.privateKey':
    'The private key in PEM format, as a reference. It signs assertions instead of a client secret (`private_key_jwt`, only with `client_credentials`).',
  'mcpServers.*.auth.assertionFile':
    'The file that contains the token of the platform, such as a projected Kubernetes token. It is read for each token request. Only with `jwt_bearer`.',
  'mcpServers.*.auth.clientMetadataUrl': 'The https URL of a document that describes the client.',
  'mcpServers.*.auth.scopes': 'The scopes to request (default: those that the server names).',
  'mcpServers.*.auth.issuer':
    'The authorization server, if the one that the server names must not be trusted or is on the local network.',
  'mcpServers.*.auth.redirectPort': 'The loopback port of the redirect URI (default: any free port).',
  'mcpServers.*.tools':
    'How the tools of the server are offered. A tool is named by its name on the server, its new name or its full name; `*` matches any part of a name.',
  'mcpServers.*.tools.allow': 'Patterns of the tools to offer, by their own or full names (default: all).',
  'mcpServers.*.tools.deny':
    'Patterns of the tools to hide, by their own or full names. Takes precedence over `allow`.',
  'mcpServers.*.tools.rename': 'New names of tools, by their names on the server. Patterns are not supported.',
  'mcpServers.*.tools.describe': 'Descriptions that replace those of the server.',
  'mcpServers.*.tools.title': 'Titles that replace those of the server.',
  'mcpServers.*.tools.arguments':
    'Changes to the arguments of a tool. Under a pattern, they apply to the arguments that a tool has.',
  'mcpServers.*.tools.arguments.*.default': 'Values for arguments that the caller omits.',
  'mcpServers.*.tools.arguments.*.hide': 'Arguments that are not shown, and rejected when given.',
  'mcpServers.*.tools.arguments.*.set': 'Fixed values of arguments, which are not shown, and rejected when given.',
  'mcpServers.*.tools.effect': 'The effects of tools. They override the annotations of the server.',
  'mcpServers.*.tools.providerOptions': 'Options of a tool for one model provider, by the name of the provider.',
  'mcpServers.*.tools.labels':
    'Labels for flow rules, in addition to those that a tool has. Labels of all matching keys are combined.',
  'mcpServers.*.tools.results': 'Limits of the results of single tools, as under `results`.',
  'mcpServers.*.tools.results.*.maxBytes': 'The maximum size of the text and structured content of a result, in bytes.',
  'mcpServers.*.tools.results.*.maxMediaBytes': 'The maximum size of an image, audio clip or file, in bytes.',
  'mcpServers.*.tools.schema':
    'Tools that can be called although their input schema cannot check all arguments: `trust`. The supported parts of the schema are still checked.',
  'mcpServers.*.tools.prefix': 'Starts every description with the name of the server: `[files] …`.',
  'mcpServers.*.labels': 'Labels of every tool of this server, for flow rules.',
  'mcpServers.*.disabled': 'Whether the server is not started and its tools are hidden.',
  'mcpServers.*.required': 'Turns and calls on the command line fail immediately while this server is not up.',
  'mcpServers.*.timeoutMs': 'The time limit of a call of one of its tools (60,000).',
  'mcpServers.*.concurrency': 'The maximum number of concurrent calls (64). Further calls wait.',
  'mcpServers.*.rateLimit': 'The maximum rate of calls. Further calls wait within their time limit, then fail.',
  'mcpServers.*.rateLimit.max': 'The maximum number of calls.',
  'mcpServers.*.rateLimit.per': 'The length of the period.',
  'mcpServers.*.cache': 'How long the result of a read is reused for the same arguments.',
  'mcpServers.*.workspace':
    'The directories that its tools write to. They are saved before each undoable call, so that it can be undone.',
  'mcpServers.*.roots':
    'The directories that the server gets when it asks for roots outside a call, or during a call whose client has none (default: `workspace`).',
  'mcpServers.*.results': 'Limits of the results of this server, as under `results`.',
  'mcpServers.*.results.maxBytes': 'The maximum size of the text and structured content of a result, in bytes.',
  'mcpServers.*.results.maxMediaBytes': 'The maximum size of an image, audio clip or file, in bytes.',
  'mcpServers.*.idleStopMs':
    'Stops the process of the server after this period without a call. The next call starts it again.',
  'mcpServers.*.pin':
    'Whether its definitions are pinned when they are first seen, so that calls of changed tools ask until the change is accepted (`true`).',
  'mcpServers.*.passthrough':
    'Lets Claude connect to the server directly: no policy applies to its calls, and none can be undone.',
  'mcpServers.*.trackInvocations': 'With `passthrough`: whether calls are recorded (`true`).',
  policies: 'The path of the policy file, or the rules themselves.',
  store:
    'The location of the records: `sqlite` for a file in the data directory, or a `postgres://` address, which may be a reference (`${env:DATABASE_URL}`). `SIGNALBOX_STORE` takes precedence.',
  results: 'Limits of results. Larger results are stored whole and returned shortened.',
  'results.maxBytes':
    'The maximum size of the text and structured content of a result, in bytes (262,144). Text that repeats the structured content is counted once.',
  'results.maxMediaBytes':
    'The maximum size of an image, audio clip or file, in bytes (5,242,880). All media of a result together may have four times this size.',
  undo: 'Limits of the data that is stored to undo calls.',
  'undo.maxFiles': 'The maximum number of entries of a workspace (200,000).',
  'undo.maxBytes': 'The maximum size of a workspace, in bytes (2 GB).',
  'undo.maxMs': 'The maximum duration of one scan of a workspace (60,000).',
  'undo.keepMs': 'How long calls can be undone (7 days).',
  'undo.keepBytes': 'The maximum size of the stored data, in addition to the present state (5 GB).',
  approvals: 'Settings of approvals.',
  'approvals.expireAfter': 'How long a pending approval waits for an answer, and an approved one for its call (2h).',
  builtin: 'The built-in server.',
  'builtin.name': 'The name of the built-in server (`signalbox`).',
  profiles: 'Named views of the catalog, for agents, tokens and MCP clients that should not see all of it.',
  'profiles.*.servers': 'The servers whose tools are visible (default: all).',
  'profiles.*.tools':
    'Patterns of the visible tools; `*` matches any part of a name. A pattern that begins with `!` hides tools and takes precedence.',
  'profiles.*.disclosure':
    'Whether tools are searched for instead of listed; with `auto`, if there are about 50 tools or more (`never`).',
  'profiles.*.names': 'The names of tools for MCP clients: `full` (`mcp__files__read`), or `own`, as on the server.',
  'profiles.*.trustsHuman': 'Whether an answer of the user of an MCP client counts as an answer of a human (`false`).',
  agents: 'The agents of sessions, by name. The agent `demo` is built in.',
  'agents.default': 'The agent of sessions that name none.',
  'agents.*.runtime':
    'The runtime that drives its turns: `claude` (Claude Agent SDK), `claude-cli` (Claude Code without the SDK), `model` (any model).',
  'agents.*.model': 'The model; for the runtime `model`: `provider/model`, or `demo`.',
  'agents.*.instructions': 'Instructions for the agent, in addition to those about Signalbox.',
  'agents.*.profile': 'The profile that limits which tools the agent sees and may call.',
  'agents.*.cwd': 'The working directory of sessions that name none.',
  'agents.*.permissionMode': 'The permission mode of sessions that name none (`default`).',
  'agents.*.limits': 'The limits of a turn.',
  'agents.*.limits.steps': 'The maximum number of model responses.',
  'agents.*.limits.costUsd': 'The maximum cost in US dollars, if the provider reports the cost.',
  'agents.*.limits.tokens': 'The maximum number of tokens.',
  'agents.*.limits.time': 'The maximum duration.',
  'agents.*.env': 'Environment variables for Claude Code, in addition to its own and a few harmless ones.',
  'agents.*.settingSources': 'The settings that Claude Code reads (default: none).',
  'agents.*.toolSearch': 'Whether Claude searches for tools instead of seeing all of them.',
  'agents.*.executable': 'The path of Claude Code (default: `claude` on the PATH, or the one that the SDK includes).',
  'agents.*.providers': 'The model providers, by name.',
  'agents.*.providers.*.apiKey':
    'The API key, as a reference (default for `anthropic`, `openai` and `google`: their standard environment variable).',
  'agents.*.providers.*.baseURL':
    'The base URL. A provider with another name and a base URL is an endpoint with the chat API of OpenAI.',
  'agents.*.providers.*.headers': 'Headers of every request.',
  'agents.*.providers.*.api': 'The API of OpenAI to use (`responses`).',
  'agents.*.providers.*.options': 'Provider options of every request.',
  oauth: 'Accepts tokens of your authorization servers at the MCP endpoint.',
  'oauth.url': 'The public URL of this server (default: the address that it listens on).',
  'oauth.issuers': 'The authorization servers whose tokens are accepted.',
  'oauth.issuers.[].issuer': 'The issuer, exactly as in its tokens (`iss`) and its metadata.',
  'oauth.issuers.[].audience': 'The required audience of tokens (`aud`) (default: the URL of the MCP endpoint).',
  'oauth.issuers.[].jwksUrl': 'The URL of its JWKS (default: the one in its metadata).',
  'oauth.issuers.[].algorithms': 'The accepted signature algorithms (default: all with a public key).',
  'oauth.issuers.[].claim': 'The claim that contains the scopes (default: `scope` and `scp`).',
  'oauth.issuers.[].scopes':
    'The scopes that grant access (default: `signalbox:agent`, and `signalbox:profile:{name}` for one profile).',
  'oauth.issuers.[].scopes.*.profile': 'The profile that the scope grants access to (default: all tools).',
  secrets: 'Environment variables whose values are never recorded.',
  retention: 'The retention of journal entries (default: forever).',
  'retention.journal': 'The retention time. Older entries are deleted after they were exported to a file.',
  'retention.exportTo': 'The directory of the exported files.',
  startup: 'How servers are started.',
  'startup.concurrency': 'The maximum number of programs that start at the same time (4).',
  'startup.wait':
    'How long after the start `tools/list`, and the turn of an agent, wait for servers that are still starting (8s). Tools of slower servers are listed when they are up.',
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
