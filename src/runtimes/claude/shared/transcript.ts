import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { MessageReader } from '../../../process/message-reader.ts';
import type { TranscriptMessage, TranscriptPart } from '../../runtime.ts';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

type MessageRecord = TranscriptRecord & { readonly message: NonNullable<TranscriptRecord['message']> };
type ToolResults = ReadonlyMap<string, JsonObject>;

/** Matches text that Claude Code adds for the model, or after an interrupt. */
const remark = /^\s*(<system-reminder>|\[Request interrupted by user)/;

/** Returns the conversation that ends with the last message. Excludes messages of other branches. */
export function toTranscript(records: readonly TranscriptRecord[]): TranscriptMessage[] {
  const messages = records.filter((record): record is MessageRecord => record.message !== undefined);
  const results = resultsIn(messages);
  const pieces = piecesByAnswer(messages);
  const added = new Set<JsonValue>();
  return chainOf(records, messages.at(-1)).flatMap((record) => {
    const { role, id } = record.message;
    if (role === 'user') return messageOf([record], results);
    // An answer is written in pieces, of which only the last may be on the path of parents.
    if (typeof id !== 'string') return messageOf([record], results);
    if (added.has(id)) return [];
    added.add(id);
    return messageOf(pieces.get(id) ?? [record], results);
  });
}

/** Returns the records from the first to the last, by following the parents. */
function chainOf(records: readonly TranscriptRecord[], last: MessageRecord | undefined): MessageRecord[] {
  const byId = new Map(records.map((record) => [record.uuid, record]));
  const seen = new Set<TranscriptRecord>();
  const chain: MessageRecord[] = [];
  for (
    let record: TranscriptRecord | undefined = last;
    record !== undefined && !seen.has(record);
    record = record.parent === undefined ? undefined : byId.get(record.parent)
  ) {
    seen.add(record);
    if (record.message !== undefined) chain.push({ ...record, message: record.message });
  }
  return chain.toReversed();
}

function piecesByAnswer(messages: readonly MessageRecord[]): ReadonlyMap<JsonValue, readonly MessageRecord[]> {
  const pieces = new Map<JsonValue, Map<string, MessageRecord>>();
  for (const record of messages) {
    const { role, id } = record.message;
    if (role !== 'assistant' || typeof id !== 'string') continue;
    const known = pieces.get(id) ?? new Map<string, MessageRecord>();
    pieces.set(id, known.set(record.uuid, record));
  }
  return new Map([...pieces].map(([id, each]) => [id, [...each.values()]]));
}

/** Returns the tool results by call id, from all branches: results of parallel calls are in separate branches. */
function resultsIn(messages: readonly MessageRecord[]): ToolResults {
  const blocks = messages.flatMap(({ message }) => (message.role === 'user' ? blocksOf(message) : []));
  return new Map(
    blocks.flatMap((block): [string, JsonObject][] =>
      block['type'] === 'tool_result' && typeof block['tool_use_id'] === 'string'
        ? [[block['tool_use_id'], block]]
        : [],
    ),
  );
}

function messageOf(records: readonly MessageRecord[], results: ToolResults): TranscriptMessage[] {
  const [first] = records;
  const content = records.flatMap(({ message }) => blocksOf(message).flatMap((block) => partOf(block, results)));
  if (first === undefined || content.length === 0) return [];
  return [{ id: first.uuid, role: first.message.role, at: first.at, content }];
}

function partOf(block: JsonObject, results: ToolResults): TranscriptPart[] {
  const { type, id, name, input } = block;
  if (type === 'text' && typeof block['text'] === 'string') {
    return remark.test(block['text']) ? [] : [{ type, text: block['text'] }];
  }
  if (type === 'thinking' && typeof block['thinking'] === 'string') return [{ type, text: block['thinking'] }];
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
  const call = { type: 'tool_call' as const, toolCallId: id, toolName: name, input: isJsonObject(input) ? input : {} };
  const result = results.get(id);
  if (result === undefined) return [call];
  return [{ ...call, result: { isError: result['is_error'] === true, content: resultContent(result) } }];
}

function resultContent(result: JsonObject): ContentBlock[] {
  return blocksOf(result).map((block) => {
    const { type, source } = block;
    if (typeof block['text'] === 'string') return text(block['text']);
    const { data, media_type: mimeType } = isJsonObject(source) ? source : {};
    if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') return { type, data, mimeType };
    return text(`[${typeof type === 'string' ? type : 'something'}]`);
  });
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter((block) => isJsonObject(block)) : [];
}

/** One line of a transcript file of Claude Code. */
export interface TranscriptRecord {
  readonly uuid: string;
  /** The preceding record; after a summary, the last summarized one. */
  readonly parent: string | undefined;
  readonly at: string;
  /** Absent in lines that only link others. */
  readonly message?: JsonObject & { readonly role: 'user' | 'assistant' };
}

/** Lines with large images have several megabytes. */
const maxLineBytes = 64 * 1024 * 1024;

/** Reads the transcript that Claude Code stored for a session; resolves with `undefined` when there is none. */
export async function readTranscriptFile(
  session: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly TranscriptRecord[] | undefined> {
  // The id becomes part of a path.
  if (!/^[0-9a-f-]{36}$/i.test(session)) return undefined;
  const file = await findFile(session, cwd, environment);
  if (file === undefined) return undefined;
  const records: TranscriptRecord[] = [];
  const reader = new MessageReader({
    maxMessageBytes: maxLineBytes,
    onMessage(line) {
      const record = recordOf(line as JsonObject);
      if (record !== undefined) records.push(record);
    },
    // The last line may be incomplete, and other versions may write other formats.
    onNoise: () => undefined,
    onTooLarge: () => undefined,
  });
  for await (const chunk of createReadStream(file)) reader.read(chunk as Buffer);
  reader.read(Buffer.from('\n'));
  return records;
}

/** Returns the ids of the conversations that Claude Code has stored for a directory. */
export async function transcriptIds(
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { projects, folder } = await placeOf(cwd, environment);
  const names = await readdir(join(projects, folder)).catch(() => []);
  return names.flatMap((name) => /^([0-9a-f-]{36})\.jsonl$/i.exec(name)?.[1] ?? []);
}

/** Returns the directory where Claude Code stores conversations, and its folder for a working directory. */
async function placeOf(
  cwd: string,
  { CLAUDE_CONFIG_DIR, HOME }: Readonly<Record<string, string>>,
): Promise<{ readonly projects: string; readonly folder: string }> {
  const projects = join(CLAUDE_CONFIG_DIR ?? join(HOME ?? homedir(), '.claude'), 'projects');
  const real = await realpath(cwd).catch(() => cwd);
  return { projects, folder: real.replaceAll(/[^A-Za-z0-9]/g, '-') };
}

/**
 * Finds the file in the folder of the working directory. Falls back to all folders, in case Claude Code names folders
 * differently.
 */
async function findFile(
  session: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { projects, folder: expected } = await placeOf(cwd, environment);
  const others = await readdir(projects).catch(() => []);
  for (const folder of new Set([expected, ...others])) {
    const file = join(projects, folder, `${session}.jsonl`);
    if (existsSync(file)) return file;
  }
  return undefined;
}

/** Parses a line of the main conversation; returns `undefined` for those of subagents. */
function recordOf(line: JsonObject): TranscriptRecord | undefined {
  const { uuid, parentUuid, logicalParentUuid, timestamp, isSidechain } = line;
  if (typeof uuid !== 'string' || isSidechain === true) return undefined;
  const parent = [parentUuid, logicalParentUuid].find((each) => typeof each === 'string');
  const record = { uuid, parent, at: typeof timestamp === 'string' ? timestamp : new Date(0).toISOString() };
  const message = line['message'];
  return isConversation(line) && isMessage(message) ? { ...record, message } : record;
}

function isConversation({ type, isMeta, isCompactSummary, isApiErrorMessage, message }: JsonObject): boolean {
  if (isMeta === true || isCompactSummary === true) return false;
  if (type === 'user') return true;
  // Claude Code writes synthetic messages in the model's name; only its error messages are shown.
  const isSynthetic = isJsonObject(message) && message['model'] === '<synthetic>' && isApiErrorMessage !== true;
  return type === 'assistant' && !isSynthetic;
}

function isMessage(message: JsonValue | undefined): message is NonNullable<TranscriptRecord['message']> {
  return isJsonObject(message) && (message['role'] === 'user' || message['role'] === 'assistant');
}
