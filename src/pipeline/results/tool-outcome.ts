import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { SourceTool } from '../../catalog/source/source.ts';
import { type CallOutcome, type ResultExtras, failedOutcome } from '../../core/calls/call-outcome.ts';
import { type JsonObject, type JsonProblem, type JsonValue, inspectJson, isJsonObject } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { type ContentBlock, type ToolResult, text } from '../../core/tools/content.ts';
import { withoutGatewayFields } from '../../core/tools/server-result.ts';

/** Converts the return value of a handler into an outcome: a string, an object, content blocks, a full result, or an invalid value. */
export function toOutcome(
  name: string,
  tool: SourceTool,
  returned: unknown,
  maxSize: number,
): MaybePromise<CallOutcome> {
  const value = returned ?? null;
  const inspection = inspectJson(value, maxSize);
  if (!inspection.ok) return invalidResultOutcome(name, inspection, maxSize);
  const json = value as JsonValue;
  const result =
    tool.returnsMcpResult === true && isJsonObject(json)
      ? mcpResult(json)
      : toResult(json, tool.outputSchema !== undefined);
  if (result.isError === true) return toolErrorOutcome(result);
  return tool.outputSchema === undefined ? completedOutcome(result) : checkOutput(name, tool, result);
}

type Returned = ToolResult & ResultExtras;
type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function completedOutcome({ content, structuredContent, _meta, fields }: Returned): CallOutcome {
  const outcome: Mutable<CallOutcome & { outcome: 'completed' }> = { outcome: 'completed', content };
  if (structuredContent !== undefined) outcome.structuredContent = structuredContent;
  if (_meta !== undefined) outcome._meta = _meta;
  if (fields !== undefined) outcome.fields = fields;
  return outcome;
}

async function checkOutput(name: string, tool: SourceTool, result: Returned): Promise<CallOutcome> {
  const mismatch = await outputProblem(name, tool, result);
  return mismatch === undefined ? completedOutcome(result) : failedOutcome('failed', 'result-invalid', mismatch);
}

function invalidResultOutcome(name: string, { path, problem, tooLarge }: JsonProblem, maxSize: number): CallOutcome {
  if (tooLarge) {
    const megabytes = Math.round(maxSize / 1024 / 1024);
    return failedOutcome(
      'failed',
      'result-too-large',
      `${name} ran, but returned more than ${megabytes} MB, which is more than can be stored; return less, or write it to a file and return its path`,
    );
  }
  return failedOutcome(
    'failed',
    'result-invalid',
    `${name} ran, but its result cannot be turned into JSON: ${problem} (at ${path})`,
  );
}

/** Converts the result of an MCP server. Fields that Signalbox does not know pass, except those that only Signalbox may set. */
function mcpResult(value: JsonObject): Returned {
  const { content = [], structuredContent, isError, _meta, ...rest } = withoutGatewayFields(value);
  // `isError: false` has no effect here and is passed on like an unknown field.
  const fields: JsonObject = isError === undefined || isError === true ? rest : { ...rest, isError };
  const result: Mutable<Returned> = { content: mcpContent(content), isError: isError === true };
  if (structuredContent !== undefined) result.structuredContent = structuredContent;
  if (isJsonObject(_meta)) result._meta = _meta;
  if (Object.keys(fields).length > 0) result.fields = fields;
  return result;
}

/** Blocks of unknown types pass; content that is not valid is shown as JSON. */
function mcpContent(content: JsonValue): readonly ContentBlock[] {
  if (Array.isArray(content) && content.every((block) => isBlock(block) || isUnknownBlock(block)))
    return content as readonly ContentBlock[];
  return [text(JSON.stringify(content))];
}

function isUnknownBlock(block: unknown): boolean {
  return isJsonObject(block) && typeof block['type'] === 'string' && !blockTypes.has(block['type']);
}

const blockTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

function toResult(value: JsonValue, structured: boolean): ToolResult {
  if (isToolResult(value)) return toolResult(value);
  if (isContent(value)) return { content: value };
  if (value === null && !structured) return { content: [] };
  if (typeof value === 'string')
    return structured ? { content: [text(value)], structuredContent: value } : { content: [text(value)] };
  return { content: [text(JSON.stringify(value))], structuredContent: value };
}

/** Copies the known fields of a result. Other properties of the handler's object are dropped. */
function toolResult({ content, structuredContent, isError, _meta }: ToolResult): ToolResult {
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    ...(isJsonObject(_meta) ? { _meta } : {}),
  };
}

function isToolResult(value: JsonValue): value is JsonValue & ToolResult {
  return isJsonObject(value) && areBlocks(value['content']);
}

function isContent(value: JsonValue): value is JsonValue & readonly ContentBlock[] {
  return areBlocks(value) && value.length > 0;
}

function areBlocks(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  const block = value as Record<string, unknown>;
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string';
    case 'image':
    case 'audio':
      return typeof block['data'] === 'string' && typeof block['mimeType'] === 'string';
    case 'resource':
      return typeof block['resource'] === 'object' && block['resource'] !== null;
    case 'resource_link':
      return typeof block['uri'] === 'string' && typeof block['name'] === 'string';
    default:
      return false;
  }
}

function toolErrorOutcome({ content, structuredContent, _meta, fields }: Returned): CallOutcome {
  const first = content.find((block) => block.type === 'text');
  const message =
    first?.type === 'text' && first.text !== '' ? first.text : 'the tool reported an error without a message';
  const error = { code: 'tool-failed', message } as const;
  return { outcome: 'failed', error, content, ...omitUndefined({ structuredContent, _meta, fields }) };
}

async function outputProblem(name: string, tool: SourceTool, result: ToolResult): Promise<string | undefined> {
  if (result.structuredContent === undefined)
    return `${name} ran, but returned no structured content although it declares an output schema`;
  const checking = tool.checkOutput?.(result.structuredContent);
  const problems = checking instanceof Promise ? await checking : checking;
  if (problems === undefined) return undefined;
  return `${name} ran, but its result does not match its output schema: ${problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`;
}

/** The key in `_meta` under which a tool reports the cost of the call. */
export const costKey = 'signalbox/costUsd';

/** The message for an invalid cost. */
export const invalidCostMessage = `_meta["${costKey}"] of its result is not a finite number of at least 0`;

/** Returns the cost that a tool reports in `_meta["signalbox/costUsd"]` of its result; `NaN` when it is not an amount. */
export function reportedCost(returned: unknown): number | undefined {
  if (!isJsonObject(returned) || !isJsonObject(returned['_meta']) || !Object.hasOwn(returned['_meta'], costKey))
    return undefined;
  const cost = returned['_meta'][costKey];
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : Number.NaN;
}
