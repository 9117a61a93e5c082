import { CapabilityMissingError, rpcErrorOf } from '../../../core/tools/source-errors.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { isResultUri } from '../../../core/calls/result-uri.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import type { ReadOptions } from '../../../pipeline/box-content.ts';
import type { CompletionRequest } from '../../../catalog/source/source-content.ts';
import { approvalOf } from './client-approval.ts';
import { type CallParts, callTool } from './call-tool.ts';
import type { RequestContext, Peer } from './request-context.ts';
import { cacheable } from '../listing/list-pages.ts';
import type { Place } from '../listing/catalog-view.ts';
import { type Answer, type Prepared, WireError, wireCodes } from '../protocol/wire-messages.ts';

/** What clients of every revision can ask for while they wait. */
export type Method = (parts: CallParts, params: JsonObject, caller: RequestContext) => Promise<Answer>;

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

const methods: Readonly<Record<string, Method>> = {
  'tools/call': callTool,

  async 'resources/read'(parts, params, caller) {
    const { box } = parts;
    const uri = textOf(params, 'uri', 'resources/read');
    if (isResultUri(uri)) return await readWholeResult(box, uri, caller);
    const server = await serverOf(uri, caller);
    if (server === undefined) throw noResource(uri, caller.isModern);
    try {
      const { ttlMs = 0, ...result } = await box.readResource(server, uri, readOptions(parts, caller));
      return caller.isModern ? { ...result, ...cacheable, ttlMs } : result;
    } catch (error) {
      throw wireError(error, caller);
    }
  },

  async 'prompts/get'(parts, params, caller) {
    const { server, name } = await promptOf(textOf(params, 'name', 'prompts/get'), caller);
    const args = textsOf(params['arguments'] ?? {}, 'prompts/get');
    try {
      return complete(await parts.box.getPrompt(server, name, args, readOptions(parts, caller)), caller);
    } catch (error) {
      throw wireError(error, caller);
    }
  },

  async 'completion/complete'(parts, params, caller) {
    const { server, request } = await completionOf(params, caller);
    try {
      return complete(await parts.box.complete(server, request, readOptions(parts, caller)), caller);
    } catch (error) {
      // A server without completion has no suggestions, which is no fault of whoever asks.
      if (rpcErrorOf(error)?.code === wireCodes.method) return complete({ completion: { values: [] } }, caller);
      throw wireError(error, caller);
    }
  },
};

/** Reads a shortened result by the address in its link: the whole text, for the caller who made the call. */
async function readWholeResult(box: CallParts['box'], uri: string, caller: RequestContext): Promise<JsonObject> {
  const page = await box.journal.result(uri, { offset: 0, limit: Number.MAX_SAFE_INTEGER }).catch(() => undefined);
  if (page === undefined || page.owner !== caller.principal.id) throw noResource(uri, caller.isModern);
  const contents = [{ uri, mimeType: page.mimeType, text: page.text }];
  return caller.isModern ? { contents, ...cacheable, ttlMs: 0 } : { contents };
}

/** The method of that name. */
export function methodOf(name: string): Method {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined)
    throw new WireError(wireCodes.method, `there is no method ${JSON.stringify(name.slice(0, 128))}`);
  return method;
}

function complete(result: JsonObject, { isModern }: RequestContext): JsonObject {
  return isModern ? { ...result, resultType: 'complete' } : result;
}

function readOptions({ approvalWaitMs: waitMs }: CallParts, caller: RequestContext): ReadOptions {
  const { principal, session, signal, client, onProgress, view } = caller;
  const approve = approvalOf(caller);
  return { principal, session, signal, client, onProgress, profile: view.profile, waitMs, approve };
}

async function completionOf(
  params: JsonObject,
  caller: RequestContext,
): Promise<{ server: string; request: CompletionRequest }> {
  const { ref, argument, context } = params;
  if (!isJsonObject(ref) || !isJsonObject(argument))
    throw new WireError(wireCodes.params, 'completion/complete needs a "ref" and an "argument"');
  const asked = {
    argument: {
      name: textOf(argument, 'name', 'completion/complete'),
      value: textOf(argument, 'value', 'completion/complete'),
    },
    ...(isJsonObject(context) ? { context: context as CompletionRequest['context'] & JsonObject } : {}),
  };
  if (ref['type'] === 'ref/prompt') {
    const { server, name } = await promptOf(textOf(ref, 'name', 'completion/complete'), caller);
    return { server, request: { ref: { type: 'ref/prompt', name }, ...asked } };
  }
  if (ref['type'] !== 'ref/resource')
    throw new WireError(wireCodes.params, 'the "ref" of completion/complete is neither a prompt nor a resource');
  const uri = textOf(ref, 'uri', 'completion/complete');
  const server = await serverOf(uri, caller);
  if (server === undefined) throw noResource(uri, caller.isModern);
  return { server, request: { ref: { type: 'ref/resource', uri }, ...asked } };
}

/** Returns the server of a resource. Waits for starting servers, which may have it. */
async function serverOf(uri: string, { view, signal }: RequestContext): Promise<string | undefined> {
  const server = view.listing.serverOf(uri);
  const starting = server === undefined ? view.awaitStartup(signal) : undefined;
  if (starting === undefined) return server;
  await starting;
  return view.listing.serverOf(uri);
}

async function promptOf(name: string, { view, signal }: RequestContext): Promise<Place> {
  if (!view.listing.prompts.has(name)) await view.awaitStartup(signal);
  const place = view.listing.prompts.get(name);
  if (place !== undefined) return place;
  throw new WireError(wireCodes.params, `there is no prompt named ${JSON.stringify(name.slice(0, 128))}`);
}

function textOf(params: JsonObject, key: string, method: string): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new WireError(wireCodes.params, `${method} needs a text "${key}"`);
}

function textsOf(value: JsonValue, method: string): Record<string, string> {
  if (isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string'))
    return value as Record<string, string>;
  throw new WireError(wireCodes.params, `the "arguments" of ${method} are texts by name`);
}

function noResource(uri: string, isModern: boolean): WireError {
  const code = isModern ? wireCodes.params : wireCodes.resource;
  return new WireError(code, `there is no resource ${JSON.stringify(uri.slice(0, 256))}`, { uri });
}

/** What is told of something that failed. What is not expected is nobody’s to read. */
function wireError(error: unknown, { isModern }: RequestContext): unknown {
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
