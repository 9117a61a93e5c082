import type { IncomingHttpHeaders } from 'node:http';
import { type ParameterHeaders, parameterHeaders } from '../../../catalog/schema/parameter-headers.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';
import { envelopeVersion } from '../protocol/client-info.ts';
import { Refusal, type WireRequest, wireCodes } from '../protocol/wire-messages.ts';

/** The parameter that the header `Mcp-Name` repeats, by method. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const encoded = /^=\?base64\?(.*)\?=$/;

/** Refuses a request whose headers contradict its body, because proxies in between may have routed by the headers. */
export function checkHeaders(headers: IncomingHttpHeaders, { method, params }: WireRequest): void {
  assertEqual('MCP-Protocol-Version', textOf(headers['mcp-protocol-version']), envelopeVersion(params));
  assertEqual('Mcp-Method', textOf(headers['mcp-method']), method);
  const key = Object.hasOwn(named, method) ? named[method] : undefined;
  const value = key === undefined ? undefined : params[key];
  if (typeof value === 'string') assertEqual('Mcp-Name', decoded(textOf(headers['mcp-name'])), value);
}

const headersOf = new WeakMap<ToolDefinition, ParameterHeaders | null>();

/** Refuses a call whose `Mcp-Param-*` headers contradict its arguments. */
export function checkParameters(headers: IncomingHttpHeaders, tool: ToolDefinition | undefined, args: unknown): void {
  if (tool === undefined || !isJsonObject(args)) return;
  let made = headersOf.get(tool);
  if (made === undefined) {
    made = isJsonObject(tool.inputSchema) ? (parameterHeaders(tool.inputSchema) ?? null) : null;
    headersOf.set(tool, made);
  }
  if (made === null) return;
  for (const [name, value] of Object.entries(made(args)))
    assertEqual(name, decoded(textOf(headers[name.toLowerCase()])), decoded(value));
}

/** Decodes a header’s value. Text that a header cannot carry is sent in base64. */
function decoded(value: string | undefined): string | undefined {
  const text = encoded.exec(value ?? '')?.[1];
  if (text === undefined) return value;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes.toString('utf8') : undefined;
}

/** Refuses the request when a header differs from the body. */
function assertEqual(header: string, actual: string | undefined, expected: string | undefined): void {
  if (actual === expected) return;
  const what = actual === undefined ? 'is missing or cannot be read' : `is ${JSON.stringify(actual)}`;
  const message = `the header ${header} ${what}, but the body has ${JSON.stringify(expected ?? null)}`;
  throw new Refusal(400, wireCodes.headers, message, { mismatch: { header, body: expected ?? '' } });
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value?.trim();
}
