import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { jsonText } from './json-text.ts';
import { minimalValue } from './minimal-arguments.ts';
import type { RpcClient, RpcReply } from './rpc-client.ts';
import type { FieldCall } from './server-list.ts';

/** Everything that a client can read from a server without side effects. */
export interface Observation {
  readonly initialize: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  /** The responses to the requests of the plan, in its order. */
  readonly calls: readonly RpcReply[];
  readonly reads: readonly RpcReply[];
  readonly gets: readonly RpcReply[];
}

/** The requests that are sent in both setups, with the server's own names. */
export interface Plan {
  readonly calls: readonly FieldCall[];
  /** URIs of resources. */
  readonly reads: readonly string[];
  readonly gets: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

type Lists = Pick<Observation, 'tools' | 'prompts' | 'resources' | 'resourceTemplates'>;

const listMethods = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
} as const;
const capabilityOf = { tools: 'tools', prompts: 'prompts', resources: 'resources', resourceTemplates: 'resources' };

const maxRequestsPerKind = 2;
const maxPages = 50;
const startTimeoutMs = 60_000;
const requestTimeoutMs = 30_000;

/** Initializes the connection, lists everything and sends the requests of the plan, which may depend on the lists. */
export async function observe(
  client: RpcClient,
  planFor: (lists: Lists) => Plan,
  rename: (own: string, listed: readonly string[]) => string = (own) => own,
): Promise<{ readonly seen: Observation; readonly plan: Plan }> {
  const initialize = await client.initialize(startTimeoutMs);
  const lists = await listAll(client, initialize);
  const plan = planFor(lists);
  const send = (method: string, params: JsonObject): Promise<RpcReply> =>
    client.request(method, params, requestTimeoutMs).catch((error: unknown) => ({ error: { message: String(error) } }));
  const calls = await inSequence(plan.calls, ({ tool, arguments: args }) =>
    send('tools/call', { name: rename(tool, namesOf(lists.tools)), arguments: args }),
  );
  const reads = await inSequence(plan.reads, (uri) => send('resources/read', { uri }));
  const gets = await inSequence(plan.gets, ({ name, arguments: args }) =>
    send('prompts/get', { name: rename(name, namesOf(lists.prompts)), arguments: args }),
  );
  return { seen: { initialize, ...lists, calls, reads, gets }, plan };
}

function namesOf(items: readonly JsonObject[]): string[] {
  return items.map(({ name }) => jsonText(name));
}

/** Chooses harmless requests from the lists of a server. `given` overrides the calls. */
export function planFrom(lists: Lists, given?: readonly FieldCall[]): Plan {
  const prompts = lists.prompts.slice(0, maxRequestsPerKind);
  return {
    calls: given ?? lists.tools.filter(isHarmless).slice(0, maxRequestsPerKind).map(minimalCall),
    reads: lists.resources.slice(0, maxRequestsPerKind).map(({ uri }) => jsonText(uri)),
    gets: prompts.map(({ name, arguments: args }) => ({
      name: jsonText(name),
      arguments: Object.fromEntries(
        (Array.isArray(args) ? (args as JsonObject[]) : [])
          .filter(({ required }) => required === true)
          .map((each) => [jsonText(each['name']), 'field']),
      ),
    })),
  };
}

function minimalCall({ name, inputSchema }: JsonObject): FieldCall {
  const args = minimalValue(inputSchema ?? {});
  return { tool: jsonText(name), arguments: isJsonObject(args) ? args : {} };
}

/** Returns whether a tool only reads, by its hint or its name. */
function isHarmless({ name, annotations }: JsonObject): boolean {
  const { readOnlyHint } = isJsonObject(annotations) ? annotations : {};
  return (
    readOnlyHint === true ||
    (readOnlyHint === undefined && /(?:^|[_-])(?:get|list|read|search|find|describe|show)/i.test(jsonText(name)))
  );
}

async function listAll(client: RpcClient, initialize: JsonObject): Promise<Lists> {
  const { capabilities } = initialize;
  const has = (name: string): boolean => isJsonObject(capabilities) && capabilities[name] !== undefined;
  const list = async (name: keyof Lists): Promise<readonly JsonObject[]> =>
    has(capabilityOf[name]) ? listPages(client, name) : [];
  return {
    tools: await list('tools'),
    prompts: await list('prompts'),
    resources: await list('resources'),
    resourceTemplates: await list('resourceTemplates'),
  };
}

/** Reads every page of a list. A list that the server refuses counts as empty: many servers declare resources but have no templates. */
async function listPages(client: RpcClient, name: keyof Lists): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  let cursor: JsonValue | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const reply = await client.request(listMethods[name], cursor === undefined ? {} : { cursor }, requestTimeoutMs);
    if ('error' in reply) break;
    const { [name]: listed, nextCursor } = reply.result;
    if (Array.isArray(listed)) items.push(...(listed as readonly JsonObject[]));
    if (typeof nextCursor !== 'string') break;
    cursor = nextCursor;
  }
  return items;
}

async function inSequence<Item, Value>(items: readonly Item[], work: (item: Item) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (const item of items) values.push(await work(item));
  return values;
}
