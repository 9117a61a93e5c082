import { z } from 'zod';
import { effects } from '../../core/tools/tool.ts';
import { agentSchemas } from './agent-schema.ts';
import { oauthSchema } from './oauth-schema.ts';
import {
  type InferLazy,
  LazyObjectSchema,
  positiveDuration,
  anything,
  choice,
  duration,
  flag,
  oneOf,
  positive,
  secretReference,
  serverName,
  strict,
  text,
  textByName,
  texts,
} from './schema-parts.ts';

const variableRule = 'the name of an environment variable';
const storeForm = '"sqlite", a "postgres://…" address, or a reference to one, as ${env:NAME}';
const storeValue = /^(?:sqlite|postgres(?:ql)?:\/\/.+|\$\{[^}]+\})$/;

/** Returns the schema of `ResultLimits`. */
function resultSettings() {
  return strict({ maxBytes: positive.exactOptional(), maxMediaBytes: positive.exactOptional() });
}

/** The keys that every server entry may have. */
const commonParts = new LazyObjectSchema({
  tools: () => toolSettings().optional(),
  labels: () => texts.optional(),
  disabled: () => flag.optional(),
  required: () => flag.optional(),
  timeoutMs: () => positive.optional(),
  concurrency: () => positive.optional(),
  rateLimit: () => strict({ max: positive.max(100_000, 'at most 100000'), per: duration }).optional(),
  cache: () => duration.optional(),
  workspace: () => texts.optional(),
  results: () => resultSettings().optional(),
});

function toolSettings() {
  return strict({
    allow: texts.exactOptional(),
    deny: texts.exactOptional(),
    rename: z.record(z.string(), text, 'an object of names').exactOptional(),
    describe: textByName.exactOptional(),
    title: textByName.exactOptional(),
    arguments: z
      .record(
        z.string(),
        strict({ default: anything().exactOptional(), hide: texts.exactOptional(), set: anything().exactOptional() }),
        'an object',
      )
      .exactOptional(),
    effect: z.record(z.string(), choice(effects), 'an object of effects').exactOptional(),
    providerOptions: z.record(z.string(), anything(), 'an object').exactOptional(),
    labels: z.record(z.string(), texts, 'an object of lists of labels').exactOptional(),
    results: z.record(z.string(), resultSettings(), 'an object of limits').exactOptional(),
    schema: z.record(z.string(), choice(['trust']), 'an object').exactOptional(),
    prefix: flag.exactOptional(),
  });
}

export const localParts = new LazyObjectSchema({
  module: () => text,
  export: () => text.optional(),
  ...commonParts.makers,
});

function authSettings() {
  return z.discriminatedUnion(
    'type',
    [
      strict({ type: z.literal('bearer'), token: text }),
      strict({
        type: z.literal('oauth'),
        grant: choice(['authorization_code', 'client_credentials', 'jwt_bearer']).exactOptional(),
        clientId: text.exactOptional(),
        clientSecret: secretReference.exactOptional(),
        privateKey: secretReference.exactOptional(),
        assertionFile: text.exactOptional(),
        clientMetadataUrl: z
          .string('an https address')
          .regex(/^https:\/\/[^/]+\/./, 'an https address with a path')
          .exactOptional(),
        scopes: texts.exactOptional(),
        issuer: z
          .string('the address of an authorization server')
          .regex(/^https?:\/\/[^/\s]+\S*$/, 'the address of an authorization server')
          .exactOptional(),
        redirectPort: positive.max(65_535, 'a port, at most 65535').exactOptional(),
      }),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? oneOf(['bearer', 'oauth']) : 'an object') },
  );
}

/** The authentication of Signalbox at a remote server. */
export type AuthSettings = z.infer<ReturnType<typeof authSettings>>;

export const externalParts = new LazyObjectSchema({
  type: () => choice(['stdio', 'http', 'sse', 'websocket']).optional(),
  command: () => text.optional(),
  args: () => z.array(z.string('a string'), 'an array of strings').optional(),
  env: () => textByName.optional(),
  cwd: () => text.optional(),
  url: () => text.optional(),
  headers: () => textByName.optional(),
  auth: () => authSettings().optional(),
  npm: () => text.optional(),
  roots: () => texts.optional(),
  idleStopMs: () => positive.optional(),
  pin: () => flag.optional(),
  passthrough: () => flag.optional(),
  trackInvocations: () => flag.optional(),
  ...commonParts.makers,
});

/** The schema for an entry without a decisive key, which only finds its mistakes. */
export const undecidedSchema = (): z.ZodType =>
  strict({ ...localParts.full().partial().shape, ...externalParts.full().shape });

/** Returns the schema of `CheckpointOptions`. */
function undoSettings() {
  return strict({
    maxFiles: positive.exactOptional(),
    maxBytes: positive.exactOptional(),
    maxMs: positive.exactOptional(),
    keepMs: positive.exactOptional(),
    keepBytes: positive.exactOptional(),
  });
}

function rootParts<Entry extends z.ZodType, Name extends z.ZodType<string, string>, Agents extends z.ZodType>(
  entry: () => Entry,
  name: () => Name,
  agents: () => Agents,
) {
  return new LazyObjectSchema({
    $schema: () => z.string('a string').optional(),
    mcpServers: () => z.record(name(), entry(), 'an object').optional(),
    policies: () => z.union([text, z.array(anything())], 'the name of a file, or a list of rules').optional(),
    store: () => z.string(storeForm).regex(storeValue, storeForm).optional(),
    results: () => resultSettings().optional(),
    undo: () => undoSettings().optional(),
    approvals: () => strict({ expireAfter: positiveDuration.optional() }).optional(),
    // Entries are pruned only after they were exported.
    retention: () => strict({ journal: positiveDuration, exportTo: text }).optional(),
    startup: () => strict({ concurrency: positive.optional(), wait: duration.optional() }).optional(),
    builtin: () => strict({ name: serverName.optional() }).optional(),
    profiles: () => z.record(name(), profileSchema(), 'an object').optional(),
    agents: () => agents().optional(),
    oauth: () => oauthSchema().optional(),
    secrets: () =>
      z
        .array(
          z.string(variableRule).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, variableRule),
          'an array of names of environment variables',
        )
        .optional(),
  });
}

/** The schema of the document without servers and agents, which are validated one by one for better messages. */
export const documentParts = rootParts(
  () => z.unknown(),
  () => z.string(),
  () => z.record(z.string(), z.unknown(), 'an object'),
);

export type ToolSettings = z.infer<ReturnType<typeof toolSettings>>;

/** The limits for the size and age of the data that is stored for undo. */
export type UndoSettings = z.infer<ReturnType<typeof undoSettings>>;

/** The settings that every server entry may have. */
export type CommonSettings = InferLazy<typeof commonParts>;

/** The settings of an external server itself, without those of its tools. */
export type ExternalSettings = Omit<InferLazy<typeof externalParts>, keyof CommonSettings>;

/** The JSON Schema of a configuration file, for editors. */
export function configurationSchema(): Record<string, unknown> {
  const agents = z.object({ default: text.optional() }).catchall(agentSchemas().agentSchema);
  const entry = z.union([localParts.full(), externalParts.full()]);
  const root = rootParts(
    () => entry,
    () => serverName,
    () => agents,
  );
  const schema = z.toJSONSchema(root.full(), { io: 'input' });
  return { ...schema, title: 'Signalbox configuration' };
}

/** Returns the schema of `ProfileSettings`. */
function profileSchema() {
  return strict({
    servers: texts.exactOptional(),
    tools: texts.exactOptional(),
    disclosure: choice(['auto', 'always', 'never']).exactOptional(),
    names: choice(['full', 'own']).exactOptional(),
    trustsHuman: flag.exactOptional(),
  });
}
