import { parseName } from '../../../core/tools/tool-names.ts';
import type { CallResult } from '../../../core/calls/call.ts';
import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { RequestContext } from './request-context.ts';
import type { McpBox } from '../mcp-box.ts';
import { WireError, wireCodes } from '../protocol/wire-messages.ts';

/** The services that requests are served with. */
export interface EndpointServices {
  readonly box: McpBox;
  /** The address of the console, where people approve calls: `http://127.0.0.1:4242/`. */
  readonly inbox: string | undefined;
  /** The time for which a call waits for a human before it ends as `awaiting-approval`. */
  readonly approvalWaitMs: number;
}

/** Calls the tool that is listed under a name, in the definition that the client was shown. */
export function callTool(
  { box, inbox }: EndpointServices,
  params: JsonObject,
  context: RequestContext,
): Promise<JsonObject> {
  const { name: requested, arguments: args = {} } = params;
  if (typeof requested !== 'string')
    return Promise.reject(new WireError(wireCodes.params, 'tools/call needs the "name" of a tool'));
  const call = (): Promise<JsonObject> => {
    const { listing } = context.view;
    const { tools } = listing;
    const name = listing.listedName(requested);
    context.pinTo(name);
    return box.call(tools.get(name)?.id ?? name, args, context).then((result) => {
      if (result.outcome !== 'completed') assertToolOutcome(result, context, tools.keys());
      return toCallToolResult(result, context.isModern, inbox);
    });
  };
  // A name without a server may belong to any server that is starting. With a server in the name, the pipeline waits for that server only.
  const { listing } = context.view;
  const isShort = !listing.tools.has(listing.listedName(requested)) && parseName(requested) === undefined;
  const starting = isShort ? context.view.awaitStartup(context.signal) : undefined;
  return starting === undefined ? call() : starting.then(call);
}

/** Throws a protocol error for an outcome that is a fault of the request rather than of the tool. */
function assertToolOutcome(
  { outcome, error, tool }: CallResult,
  { isModern }: RequestContext,
  known: Iterable<string>,
): void {
  if (error?.code === 'tool-unknown') throw unknownTool(tool, known);
  if (error?.rpc !== undefined) throw new WireError(error.rpc.code, error.message, error.rpc.data);
  if (isModern && outcome === 'failed' && error?.code === 'capability-missing')
    throw new WireError(wireCodes.capability, error.message, { requiredCapabilities: error.required ?? {} });
}

function unknownTool(name: string, known: Iterable<string>): WireError {
  const suggestion = closestMatch(name, [...known]);
  const hint = suggestion === undefined ? 'tools/list returns the available tools' : `did you mean "${suggestion}"?`;
  return new WireError(wireCodes.params, `there is no tool named ${JSON.stringify(name.slice(0, 128))}; ${hint}`);
}

function toCallToolResult(result: CallResult, isModern: boolean, inbox: string | undefined): JsonObject {
  const { structuredContent, _meta, fields } = result;
  const content = (result.outcome === 'awaiting-approval'
    ? [...result.content, ...approvalHint(result, inbox)]
    : result.content) as unknown as JsonObject[];
  const wire: { -readonly [Key in keyof JsonObject]: JsonObject[Key] } = { ...fields, content };
  if (isModern) wire['resultType'] = 'complete';
  if (_meta !== undefined) wire['_meta'] = _meta;
  // Earlier revisions accept only objects here. The content has the same information.
  if (structuredContent !== undefined && (isModern || isJsonObject(structuredContent)))
    wire['structuredContent'] = structuredContent;
  if (result.outcome !== 'completed') wire['isError'] = true;
  return wire;
}

function approvalHint(result: CallResult, inbox: string | undefined): ContentBlock[] {
  if (result.outcome !== 'awaiting-approval' || result.approvalId === undefined) return [];
  const page = inbox === undefined ? '' : ` at ${inbox}, or`;
  return [text(`A human approves it${page} with: signalbox approve ${result.approvalId}`)];
}
