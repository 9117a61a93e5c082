import { CapabilityMissingError, rpcErrorOf } from '../../../core/tools/source-errors.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { isResultUri } from '../../../core/calls/result-uri.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import type { CompletionRequest } from '../../../catalog/source/source-content.ts';
import { type EndpointServices, callTool } from './call-tool.ts';
import type { RequestContext, Peer } from './request-context.ts';
import { cacheable } from '../listing/list-pages.ts';
import type { ContentLocation } from '../listing/catalog-view.ts';
import { type Answer, type Prepared, WireError, wireCodes } from '../protocol/wire-messages.ts';

/** Serves a request method of any revision. */
export type MethodHandler = (
  services: EndpointServices,
  params: JsonObject,
  context: RequestContext,
) => Promise<Answer>;

const lists = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

/** A method that requests a page of a list. */
export type ListMethod = keyof typeof lists;

/** Returns whether a method requests a page of a list. */
export function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(lists, method);
}

/** Returns the requested page of a list. */
export function listPage(method: ListMethod, params: JsonObject, { view }: Peer, isModern: boolean): Prepared {
  return view.listing.pages(lists[method], isModern).page(params['cursor']);
}

const methods: Readonly<Record<string, MethodHandler>> = {
  'tools/call': callTool,

  async 'resources/read'(services, params, context) {
    const { box } = services;
    const uri = parseString(params, 'uri', 'resources/read');
    if (isResultUri(uri)) return await readWholeResult(box, uri, context);
    const server = await findServer(uri, context);
    if (server === undefined) throw noResource(uri, context.isModern);
    try {
      const { ttlMs = 0, ...result } = await box.resources.read(server, uri, context);
      return context.isModern ? { ...result, ...cacheable, ttlMs } : result;
    } catch (error) {
      throw toContentError(error, context);
    }
  },

  async 'prompts/get'(services, params, context) {
    const { server, name } = await findPrompt(parseString(params, 'name', 'prompts/get'), context);
    const args = parseStrings(params['arguments'] ?? {}, 'prompts/get');
    try {
      return complete(await services.box.prompts.get(server, name, args, context), context);
    } catch (error) {
      throw toContentError(error, context);
    }
  },

  async 'completion/complete'(services, params, context) {
    const { server, request } = await parseCompletion(params, context);
    try {
      return complete(await services.box.complete(server, request, context), context);
    } catch (error) {
      // A server that does not support completion has no suggestions; that is not an error of the client.
      if (rpcErrorOf(error)?.code === wireCodes.method) return complete({ completion: { values: [] } }, context);
      throw toContentError(error, context);
    }
  },
};

/** Returns the whole text of a shortened result, only to the principal that made the call. */
async function readWholeResult(
  box: EndpointServices['box'],
  uri: string,
  context: RequestContext,
): Promise<JsonObject> {
  const page = await box.journal.result(uri, { offset: 0, limit: Number.MAX_SAFE_INTEGER }).catch(() => undefined);
  if (page === undefined || page.owner !== context.principal.id) throw noResource(uri, context.isModern);
  const contents = [{ uri, mimeType: page.mimeType, text: page.text }];
  return context.isModern ? { contents, ...cacheable, ttlMs: 0 } : { contents };
}

/** Returns the handler of a method. Throws a `WireError` for an unknown method. */
export function findMethod(name: string): MethodHandler {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined)
    throw new WireError(wireCodes.method, `there is no method ${JSON.stringify(name.slice(0, 128))}`);
  return method;
}

function complete(result: JsonObject, { isModern }: RequestContext): JsonObject {
  return isModern ? { ...result, resultType: 'complete' } : result;
}

async function parseCompletion(
  params: JsonObject,
  context: RequestContext,
): Promise<{ server: string; request: CompletionRequest }> {
  const { ref, argument, context: completed } = params;
  if (!isJsonObject(ref) || !isJsonObject(argument))
    throw new WireError(wireCodes.params, 'completion/complete needs a "ref" and an "argument"');
  const rest = {
    argument: {
      name: parseString(argument, 'name', 'completion/complete'),
      value: parseString(argument, 'value', 'completion/complete'),
    },
    ...(isJsonObject(completed) ? { context: completed as CompletionRequest['context'] & JsonObject } : {}),
  };
  if (ref['type'] === 'ref/prompt') {
    const { server, name } = await findPrompt(parseString(ref, 'name', 'completion/complete'), context);
    return { server, request: { ref: { type: 'ref/prompt', name }, ...rest } };
  }
  if (ref['type'] !== 'ref/resource')
    throw new WireError(wireCodes.params, 'the "ref" of completion/complete is neither a prompt nor a resource');
  const uri = parseString(ref, 'uri', 'completion/complete');
  const server = await findServer(uri, context);
  if (server === undefined) throw noResource(uri, context.isModern);
  return { server, request: { ref: { type: 'ref/resource', uri }, ...rest } };
}

/** Returns the server of a resource. Waits for starting servers, which may have it. */
async function findServer(uri: string, { view, signal }: RequestContext): Promise<string | undefined> {
  const server = view.listing.serverOf(uri);
  const starting = server === undefined ? view.awaitStartup(signal) : undefined;
  if (starting === undefined) return server;
  await starting;
  return view.listing.serverOf(uri);
}

async function findPrompt(name: string, { view, signal }: RequestContext): Promise<ContentLocation> {
  if (!view.listing.prompts.has(name)) await view.awaitStartup(signal);
  const place = view.listing.prompts.get(name);
  if (place !== undefined) return place;
  throw new WireError(wireCodes.params, `there is no prompt named ${JSON.stringify(name.slice(0, 128))}`);
}

function parseString(params: JsonObject, key: string, method: string): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new WireError(wireCodes.params, `${method} needs a string "${key}"`);
}

function parseStrings(value: JsonValue, method: string): Record<string, string> {
  if (isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string'))
    return value as Record<string, string>;
  throw new WireError(wireCodes.params, `the "arguments" of ${method} must be strings by name`);
}

function noResource(uri: string, isModern: boolean): WireError {
  const code = isModern ? wireCodes.params : wireCodes.resource;
  return new WireError(code, `there is no resource ${JSON.stringify(uri.slice(0, 256))}`, { uri });
}

/** Converts an expected error to the one for the client. Returns any other error unchanged, to be logged and hidden. */
function toContentError(error: unknown, { isModern }: RequestContext): unknown {
  if (!(error instanceof SignalboxError)) return error;
  const { cause } = error;
  if (isModern && cause instanceof CapabilityMissingError)
    return new WireError(wireCodes.capability, error.message, { requiredCapabilities: cause.required });
  if (error.code === 'content-denied') return new WireError(wireCodes.server, error.message);
  const rpc = rpcErrorOf(error);
  if (rpc === undefined) return new WireError(wireCodes.internal, error.message);
  // The 2026 revision has no error code for unknown resources.
  const code = isModern && rpc.code === wireCodes.resource ? wireCodes.params : rpc.code;
  return new WireError(code, rpc.message, rpc.data);
}
