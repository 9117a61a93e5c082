import type { SourceTool } from '../catalog/source.ts';
import type { CallOutcome } from '../model/call.ts';
import { type ContentBlock, type ToolResult, text } from '../model/content.ts';
import { type JsonProblem, type JsonValue, inspectJson } from '../model/json.ts';
import { unfinished } from '../model/unfinished.ts';
import type { Outcoming } from './call.ts';

/** Turns whatever a handler returned into an outcome: a string, an object, content blocks, a full result, or nonsense. */
export function outcomeOf(name: string, tool: SourceTool, returned: unknown, largest: number): Outcoming {
  const value = returned ?? null;
  const inspection = inspectJson(value, largest);
  if (!inspection.ok) return unusable(name, inspection, largest);
  const result = toResult(value as JsonValue, tool.outputSchema !== undefined);
  if (result.isError === true) return reportedError(name, result);
  return tool.outputSchema === undefined ? completed(result) : checked(name, tool, result);
}

function completed({ content, structuredContent }: ToolResult): CallOutcome {
  return structuredContent === undefined
    ? { outcome: 'completed', content }
    : { outcome: 'completed', content, structuredContent };
}

async function checked(name: string, tool: SourceTool, result: ToolResult): Promise<CallOutcome> {
  const mismatch = await outputProblem(name, tool, result);
  return mismatch === undefined ? completed(result) : unfinished('failed', 'result-invalid', mismatch);
}

function unusable(name: string, { path, problem, tooLarge }: JsonProblem, largest: number): CallOutcome {
  if (tooLarge) {
    const megabytes = Math.round(largest / 1024 / 1024);
    return unfinished(
      'failed',
      'result-too-large',
      `${name} ran, but returned more than ${megabytes} MB, which is more than can be kept; return less, or write it to a file and return its path`,
    );
  }
  return unfinished(
    'failed',
    'result-invalid',
    `${name} ran, but its result cannot be turned into JSON: ${problem} (at ${path})`,
  );
}

function toResult(value: JsonValue, structured: boolean): ToolResult {
  if (isToolResult(value)) return value;
  if (isContent(value)) return { content: value };
  if (value === null && !structured) return { content: [] };
  if (typeof value === 'string')
    return structured ? { content: [text(value)], structuredContent: value } : { content: [text(value)] };
  return { content: [text(JSON.stringify(value))], structuredContent: value };
}

function isToolResult(value: JsonValue): value is JsonValue & ToolResult {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    'content' in value &&
    (isContent(value['content']) || isEmpty(value['content']))
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isContent(value: unknown): value is JsonValue & readonly ContentBlock[] {
  return Array.isArray(value) && value.length > 0 && value.every(isBlock);
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

function reportedError(name: string, result: ToolResult): CallOutcome {
  const first = result.content.find((block) => block.type === 'text');
  const message =
    first?.type === 'text' && first.text !== '' ? first.text : 'the tool reported an error without a message';
  return {
    outcome: 'failed',
    error: { code: 'tool-failed', message },
    content: result.content.length > 0 ? result.content : [text(`${name} failed: ${message}`)],
    ...(result.structuredContent === undefined ? {} : { structuredContent: result.structuredContent }),
  };
}

async function outputProblem(name: string, tool: SourceTool, result: ToolResult): Promise<string | undefined> {
  if (result.structuredContent === undefined)
    return `${name} ran, but returned no structured content although it declares an output schema`;
  const checking = tool.checkOutput?.(result.structuredContent);
  const problems = checking instanceof Promise ? await checking : checking;
  if (problems === undefined) return undefined;
  return `${name} ran, but its result does not fit its output schema: ${problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`;
}
