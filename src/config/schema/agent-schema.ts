import { z } from 'zod';
import { isJsonObject } from '../../core/json/json.ts';
import { anything, choice, flag, oneOf, positive, positiveDuration, strict, text, textByName } from './schema-parts.ts';

const runtimes = ['claude', 'claude-cli', 'model'] as const;
const runtimeRule = oneOf(runtimes);
const modelRule = '"demo", or a provider and its model: "anthropic/claude-sonnet-4-5"';
const keyRule = 'a reference to a key, as ${secret:NAME} or ${env:NAME}';

const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;

/** Returns the schemas of agents. They are created on demand, because most configurations have no agents. */
export function agentSchemas(): ReturnType<typeof makeSchemas> {
  return (made ??= makeSchemas());
}

let made: ReturnType<typeof makeSchemas> | undefined;

function makeSchemas() {
  const cost = z.number('a number above 0').positive('a number above 0');

  const everyAgent = {
    instructions: text.exactOptional(),
    profile: text.exactOptional(),
    cwd: text.exactOptional(),
    permissionMode: choice(permissionModes).exactOptional(),
  };

  const claudeSchema = strict({
    runtime: z.enum(['claude', 'claude-cli'], runtimeRule),
    model: text.exactOptional(),
    ...everyAgent,
    limits: strict({ steps: positive.exactOptional(), costUsd: cost.exactOptional() }).exactOptional(),
    env: textByName.exactOptional(),
    settingSources: z.array(choice(['user', 'project', 'local']), 'an array of sources').exactOptional(),
    toolSearch: flag.exactOptional(),
    executable: text.exactOptional(),
  });

  const providerSchema = strict({
    apiKey: z
      .string(keyRule)
      // A default in the reference would be a key in plain text.
      .regex(/^\$\{(?!.*:-)[^}]+\}$/, keyRule)
      .exactOptional(),
    baseURL: z
      .string('a web address')
      .regex(/^(?:https?:\/\/|\$\{)/i, 'a web address, http://… or https://…')
      .exactOptional(),
    headers: textByName.exactOptional(),
    api: choice(['responses', 'chat']).exactOptional(),
    options: anything().exactOptional(),
  });

  const modelSchema = strict({
    runtime: z.literal('model', runtimeRule),
    model: z.string(modelRule).regex(/^(?:demo|[^/]+\/.+)$/, modelRule),
    ...everyAgent,
    limits: strict({
      steps: positive.exactOptional(),
      costUsd: cost.exactOptional(),
      tokens: positive.exactOptional(),
      time: positiveDuration.exactOptional(),
    }).exactOptional(),
    providers: z.record(z.string(), providerSchema, 'an object').exactOptional(),
  });

  const agentSchema = z.discriminatedUnion('runtime', [claudeSchema, modelSchema], {
    error: ({ code, input }) => (code === 'invalid_union' && isJsonObject(input) ? runtimeRule : 'an object'),
  });

  /** The runtimes that support a key. */
  const runtimesOf: ReadonlyMap<string, string> = new Map([
    ...Object.keys(claudeSchema.shape).map((key): [string, string] => [key, '"claude" or "claude-cli"']),
    ...Object.keys(modelSchema.shape).map((key): [string, string] => [key, '"model"']),
  ]);

  return { agentSchema, runtimesOf };
}

export type AgentSettings = z.infer<ReturnType<typeof makeSchemas>['agentSchema']>;
export type ClaudeRuntimeSettings = Extract<AgentSettings, { runtime: 'claude' | 'claude-cli' }>;
export type ModelRuntimeSettings = Extract<AgentSettings, { runtime: 'model' }>;
