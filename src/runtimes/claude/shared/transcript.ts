import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import type { TranscriptMessage, TranscriptPart } from '../../transcript.ts';
import type { TranscriptRecord } from './transcript-file.ts';

type Said = TranscriptRecord & { readonly message: NonNullable<TranscriptRecord['message']> };
type ToolResults = ReadonlyMap<string, JsonObject>;

/** What is in a transcript only for the model, or because the user interrupted it. */
const remark = /^\s*(<system-reminder>|\[Request interrupted by user)/;

/** The conversation that ends with the last thing said: what was taken back, or said in another branch, is not part of it. */
export function transcriptOf(records: readonly TranscriptRecord[]): TranscriptMessage[] {
  const said = records.filter((record): record is Said => record.message !== undefined);
  const results = resultsIn(said);
  const pieces = piecesByAnswer(said);
  const told = new Set<JsonValue>();
  return chainOf(records, said.at(-1)).flatMap((record) => {
    const { role, id } = record.message;
    if (role === 'user') return messageOf([record], results);
    // An answer is written piece by piece, and only the last one may lie on the way back from what follows.
    if (typeof id !== 'string') return messageOf([record], results);
    if (told.has(id)) return [];
    told.add(id);
    return messageOf(pieces.get(id) ?? [record], results);
  });
}

/** From the beginning to the last, each following its parent. */
function chainOf(records: readonly TranscriptRecord[], last: Said | undefined): Said[] {
  const byId = new Map(records.map((record) => [record.uuid, record]));
  const seen = new Set<TranscriptRecord>();
  const chain: Said[] = [];
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

function piecesByAnswer(said: readonly Said[]): ReadonlyMap<JsonValue, readonly Said[]> {
  const pieces = new Map<JsonValue, Map<string, Said>>();
  for (const record of said) {
    const { role, id } = record.message;
    if (role !== 'assistant' || typeof id !== 'string') continue;
    const known = pieces.get(id) ?? new Map<string, Said>();
    pieces.set(id, known.set(record.uuid, record));
  }
  return new Map([...pieces].map(([id, each]) => [id, [...each.values()]]));
}

/** Calls that ran at the same time have their results in branches of their own. */
function resultsIn(said: readonly Said[]): ToolResults {
  const blocks = said.flatMap(({ message }) => (message.role === 'user' ? blocksOf(message) : []));
  return new Map(
    blocks.flatMap((block): [string, JsonObject][] =>
      block['type'] === 'tool_result' && typeof block['tool_use_id'] === 'string'
        ? [[block['tool_use_id'], block]]
        : [],
    ),
  );
}

function messageOf(records: readonly Said[], results: ToolResults): TranscriptMessage[] {
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
