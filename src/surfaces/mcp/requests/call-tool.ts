import { parseName } from '../../../catalog/names.ts';
import type { CallOptions, CallResult } from '../../../core/calls/call.ts';
import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { approvalOf } from './client-approval.ts';
import type { RequestContext } from './request-context.ts';
import type { EndpointBox } from '../endpoint-box.ts';
import { WireError, wireCodes } from '../protocol/wire-messages.ts';

/** What calls are made with. */
export interface CallParts {
  readonly box: EndpointBox;
  /** Where people answer, for whoever reads the result: `http://127.0.0.1:4242/`. */
  readonly inbox: string | undefined;
  /** How long a call waits for a human before it ends by saying where people answer. */
  readonly approvalWaitMs: number;
}

/** What is said of a call. What is needed by few of them is made when it is looked at. */
class ClientCall implements CallOptions {
  readonly waitMs: number;
  readonly definitionHash: string | undefined;
  readonly #caller: RequestContext;

  constructor(caller: RequestContext, name: string, waitMs: number) {
    this.#caller = caller;
    this.waitMs = waitMs;
    this.definitionHash = caller.shown?.tools.get(name)?.definitionHash;
  }

  get principal(): CallOptions['principal'] {
    return this.#caller.principal;
  }

  get session(): string {
    return this.#caller.session;
  }

  get profile(): string | undefined {
    return this.#caller.view.profile;
  }

  get signal(): CallOptions['signal'] {
    return this.#caller.signal;
  }

  get nameOf(): CallOptions['nameOf'] {
    const { tools } = this.#caller.view.listing;
    return ({ server, tool }) => {
      for (const [name, { id }] of tools) if (id.server === server && id.tool === tool) return name;
      return undefined;
    };
  }

  get onProgress(): CallOptions['onProgress'] {
    return this.#caller.onProgress;
  }

  get client(): CallOptions['client'] {
    return this.#caller.client;
  }

  get approve(): CallOptions['approve'] {
    return approvalOf(this.#caller);
  }
}

/** Calls a tool for a client: the name it was listed under leads to the tool, and to what the client was shown of it. */
export function callTool(parts: CallParts, params: JsonObject, caller: RequestContext): Promise<JsonObject> {
  const { box, inbox, approvalWaitMs } = parts;
  const { name: given, arguments: args = {} } = params;
  if (typeof given !== 'string')
    return Promise.reject(new WireError(wireCodes.params, 'tools/call needs the "name" of a tool'));
  const call = (): Promise<JsonObject> => {
    const { listing } = caller.view;
    const { tools } = listing;
    const name = listing.listedName(given);
    const options = new ClientCall(caller, name, approvalWaitMs);
    return box.call(tools.get(name)?.id ?? name, args, options).then((result) => {
      if (result.outcome !== 'completed') refuse(result, caller, tools.keys());
      return toolResult(result, caller.isModern, inbox);
    });
  };
  // A name without a server may belong to any server that is starting. With a server in the name, the pipeline waits for that server only.
  const { listing: shown } = caller.view;
  const isShort = !shown.tools.has(shown.listedName(given)) && parseName(given) === undefined;
  const starting = isShort ? caller.view.awaitStartup(caller.signal) : undefined;
  return starting === undefined ? call() : starting.then(call);
}

/** What is no outcome of a tool, but a fault of the request. */
function refuse({ outcome, error, tool }: CallResult, { isModern }: RequestContext, known: Iterable<string>): void {
  if (error?.code === 'tool-unknown') throw unknownTool(tool, known);
  if (error?.rpc !== undefined) throw new WireError(error.rpc.code, error.message, error.rpc.data);
  if (isModern && outcome === 'failed' && error?.code === 'capability-missing')
    throw new WireError(wireCodes.capability, error.message, { requiredCapabilities: error.required ?? {} });
}

function unknownTool(name: string, known: Iterable<string>): WireError {
  const meant = closestMatch(name, [...known]);
  const hint = meant === undefined ? 'tools/list tells which there are' : `did you mean "${meant}"?`;
  return new WireError(wireCodes.params, `there is no tool named ${JSON.stringify(name.slice(0, 128))}; ${hint}`);
}

function toolResult(result: CallResult, isModern: boolean, inbox: string | undefined): JsonObject {
  const { structuredContent, _meta, fields } = result;
  const content = (result.outcome === 'awaiting-approval'
    ? [...result.content, ...whereToApprove(result, inbox)]
    : result.content) as unknown as JsonObject[];
  const told: { -readonly [Key in keyof JsonObject]: JsonObject[Key] } = { ...fields, content };
  if (isModern) told['resultType'] = 'complete';
  if (_meta !== undefined) told['_meta'] = _meta;
  // Only the newest revision takes anything but objects there; the content says it in any case.
  if (structuredContent !== undefined && (isModern || isJsonObject(structuredContent)))
    told['structuredContent'] = structuredContent;
  if (result.outcome !== 'completed') told['isError'] = true;
  return told;
}

function whereToApprove(result: CallResult, inbox: string | undefined): ContentBlock[] {
  if (result.outcome !== 'awaiting-approval' || result.approvalId === undefined) return [];
  const page = inbox === undefined ? '' : ` at ${inbox}, or`;
  return [text(`A human approves it${page} with: signalbox approve ${result.approvalId}`)];
}
