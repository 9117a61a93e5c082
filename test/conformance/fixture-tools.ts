import { setTimeout as wait } from 'node:timers/promises';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequests,
  type ServerContext,
  type Tool,
  inputRequired,
} from '@modelcontextprotocol/server';

/** A picture of one red pixel. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

type Properties = ElicitRequestFormParams['requestedSchema']['properties'];
type Run = (args: Record<string, unknown>, context: ServerContext) => Promise<CallToolResult> | CallToolResult;

/** Lists that a tool can change while it runs. */
export interface Lists {
  toolAdded: boolean;
  promptAdded: boolean;
  changed(list: 'tools' | 'prompts'): void;
}

const none = { type: 'object', properties: {} } as const;
const one = (name: string): Tool['inputSchema'] => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

/** Returns the tools that the suite calls by name, with their schemas. */
export function fixtureTools(lists: Lists): Map<string, { inputSchema: Tool['inputSchema']; run: Run }> {
  const tools: [string, Tool['inputSchema'], Run][] = [
    ['test_simple_text', none, () => text('This is a simple text response for testing.')],
    ['test_image_content', none, () => ({ content: [image] })],
    ['test_audio_content', none, () => ({ content: [{ type: 'audio', data: sound, mimeType: 'audio/wav' }] })],
    [
      'test_embedded_resource',
      none,
      () => ({
        content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
      }),
    ],
    [
      'test_multiple_content_types',
      none,
      () => ({
        content: [
          { type: 'text', text: 'Multiple content types test:' },
          image,
          embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
        ],
      }),
    ],
    [
      'test_tool_with_logging',
      none,
      async (_, { mcpReq }) => {
        for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
          await mcpReq.log('info', message);
          await wait(50);
        }
        return text('Tool with logging executed successfully');
      },
    ],
    [
      'test_logging_tool',
      none,
      async (_, { mcpReq }) => {
        await mcpReq.log('info', 'only for clients that enabled logging');
        return text('logged');
      },
    ],
    [
      'test_error_handling',
      none,
      () => {
        throw new Error('This tool intentionally returns an error for testing');
      },
    ],
    [
      'test_tool_with_progress',
      none,
      async (_, { mcpReq }) => {
        const progressToken = mcpReq._meta?.progressToken;
        for (const progress of [0, 50, 100]) {
          if (progressToken !== undefined)
            await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
          await wait(50);
        }
        return text('Tool with progress executed successfully');
      },
    ],
    [
      'test_sampling',
      one('prompt'),
      ({ prompt }, context) =>
        asking(context, { sampled: sample(String(prompt)) }, ({ sampled }) =>
          text(`LLM response: ${JSON.stringify(sampled)}`),
        ),
    ],
    [
      'test_elicitation',
      one('message'),
      ({ message }, context) =>
        asking(
          context,
          {
            asked: form(
              String(message),
              {
                username: { type: 'string', description: "User's response" },
                email: { type: 'string', description: "User's email address" },
              },
              ['username', 'email'],
            ),
          },
          ({ asked }) => text(`User response: ${JSON.stringify(asked)}`),
        ),
    ],
    [
      'test_elicitation_sep1034_defaults',
      none,
      (_, context) => asking(context, { asked: form('With defaults', withDefaults) }, elicited),
    ],
    [
      'test_elicitation_sep1330_enums',
      none,
      (_, context) => asking(context, { asked: form('With choices', choices) }, elicited),
    ],
    [
      'test_streaming_elicitation',
      none,
      (_, context) => asking(context, { asked: form('Go on?', { ok: { type: 'boolean' } }) }, elicited),
    ],
    [
      'test_missing_capability',
      none,
      (_, context) => asking(context, { sampled: sample('anything') }, () => text('sampled')),
    ],
    [
      'test_trigger_tool_change',
      none,
      () => {
        lists.toolAdded = !lists.toolAdded;
        lists.changed('tools');
        return text('changed');
      },
    ],
    [
      'test_trigger_prompt_change',
      none,
      () => {
        lists.promptAdded = !lists.promptAdded;
        lists.changed('prompts');
        return text('changed');
      },
    ],
    [
      'test_input_required_result_elicitation',
      none,
      (_, context) =>
        asking(context, { user_name: form('What is your name?', { name: { type: 'string' } }, ['name']) }, (given) =>
          text(`Hello, ${contentOf(given['user_name'], 'name')}!`),
        ),
    ],
    [
      'test_input_required_result_sampling',
      none,
      (_, context) =>
        asking(context, { capital_question: sample('What is the capital of France?') }, (given) =>
          text(JSON.stringify(given)),
        ),
    ],
    [
      'test_input_required_result_list_roots',
      none,
      (_, context) =>
        asking(context, { client_roots: inputRequired.listRoots() }, (given) => text(JSON.stringify(given))),
    ],
    [
      'test_input_required_result_request_state',
      none,
      (_, context) =>
        asking(
          context,
          { confirm: form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) },
          () => text(`state-ok ${String(context.mcpReq.requestState())}`),
          'the-state',
        ),
    ],
    [
      'test_input_required_result_tampered_state',
      none,
      (_, context) =>
        asking(
          context,
          { confirm: form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) },
          () => text('confirmed'),
          'the-state',
        ),
    ],
    [
      'test_input_required_result_multiple_inputs',
      none,
      (_, context) =>
        asking(
          context,
          {
            user_name: form('What is your name?', { name: { type: 'string' } }, ['name']),
            greeting: sample('Generate a greeting'),
            client_roots: inputRequired.listRoots(),
          },
          (given) => text(Object.keys(given).join(' ')),
          'the-state',
        ),
    ],
    [
      'test_input_required_result_multi_round',
      none,
      (_, context) => {
        const given: Record<string, unknown> = context.mcpReq.inputResponses ?? {};
        if (given['step2'] !== undefined) return text(`Your favorite color is ${contentOf(given['step2'], 'color')}`);
        return given['step1'] === undefined
          ? asking(
              context,
              { step1: form('Step 1: What is your name?', { name: { type: 'string' } }, ['name']) },
              () => text(''),
              'round-1',
            )
          : ask(
              { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color']) },
              'round-2',
            );
      },
    ],
    [
      'test_input_required_result_capabilities',
      none,
      (_, context) => {
        const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = context.mcpReq.envelope ?? {};
        const can = envelope[CLIENT_CAPABILITIES_META_KEY] ?? {};
        return asking(
          context,
          {
            ...(can.sampling === undefined ? {} : { sampled: sample('anything') }),
            ...(can.elicitation === undefined ? {} : { asked: form('Anything?', { any: { type: 'string' } }) }),
          },
          () => text('asked only what could be answered'),
        );
      },
    ],
    ['json_schema_2020_12_tool', wide, () => text('accepted')],
    [
      'test_header_parameter',
      { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
      () => text('routed'),
    ],
  ];
  return new Map(tools.map(([name, inputSchema, run]) => [name, { inputSchema, run }]));
}

/** Sends requests in the first round, and returns a result from the responses in the next round. */
export function asking(
  { mcpReq }: ServerContext,
  requests: InputRequests,
  then: (given: Record<string, unknown>) => CallToolResult,
  state?: string,
): CallToolResult {
  const given: Record<string, unknown> | undefined = mcpReq.inputResponses;
  const isAnswered = given !== undefined && Object.keys(requests).every((key) => given[key] !== undefined);
  return isAnswered ? then(given) : ask(requests, state);
}

function ask(inputRequests: InputRequests, requestState?: string): CallToolResult {
  return inputRequired({
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  }) as unknown as CallToolResult;
}

/** Creates a request for a form. */
export function form(message: string, properties: Properties, required: string[] = []): InputRequests[string] {
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
}

function sample(prompt: string): InputRequests[string] {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
    maxTokens: 100,
  });
}

function elicited({ asked }: Record<string, unknown>): CallToolResult {
  const { action, content } = asked as { action: string; content?: unknown };
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

/** Returns the content of a field. */
export function contentOf(answer: unknown, field: string): string {
  return String((answer as { content?: Record<string, unknown> }).content?.[field]);
}

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}

const image = { type: 'image', data: picture, mimeType: 'image/png' } as const;

function embedded(uri: string, mimeType: string, content: string): CallToolResult['content'][number] {
  return { type: 'resource', resource: { uri, mimeType, text: content } };
}

const withDefaults: Properties = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];

const choices: Properties = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};

const wide: Tool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
