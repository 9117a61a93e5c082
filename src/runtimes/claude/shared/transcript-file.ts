import { createReadStream } from 'node:fs';
import { access, readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { MessageReader } from '../../../process/message-reader.ts';

/** One line of a transcript of Claude Code, as far as it says what was said. */
export interface TranscriptRecord {
  readonly uuid: string;
  /** What it follows; across a summary, what was summarised. */
  readonly parent: string | undefined;
  readonly at: string;
  /** Absent where the line only stands between others. */
  readonly message?: JsonObject & { readonly role: 'user' | 'assistant' };
}

/** Lines with large pictures are a few megabytes. */
const longestLine = 64 * 1024 * 1024;

/** Reads the transcript that Claude Code keeps of a session; `undefined` when there is none. */
export async function readTranscriptFile(
  session: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly TranscriptRecord[] | undefined> {
  // It becomes part of a path.
  if (!/^[0-9a-f-]{36}$/i.test(session)) return undefined;
  const file = await findFile(session, cwd, environment);
  if (file === undefined) return undefined;
  const records: TranscriptRecord[] = [];
  const reader = new MessageReader({
    largestMessage: longestLine,
    onMessage(line) {
      const record = recordOf(line as JsonObject);
      if (record !== undefined) records.push(record);
    },
    // The last line may be half written, and other versions write other things.
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

/** In the folder of the working directory, or, if Claude Code named that otherwise, in whichever has it. */
async function findFile(
  session: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { projects, folder: usual } = await placeOf(cwd, environment);
  const others = await readdir(projects).catch(() => []);
  for (const folder of new Set([usual, ...others])) {
    const file = join(projects, folder, `${session}.jsonl`);
    if (await isThere(file)) return file;
  }
  return undefined;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

/** A line of the conversation itself; what a subagent says, and what Claude Code says to itself, is none. */
function recordOf(line: JsonObject): TranscriptRecord | undefined {
  const { uuid, parentUuid, logicalParentUuid, timestamp, isSidechain } = line;
  if (typeof uuid !== 'string' || isSidechain === true) return undefined;
  const parent = [parentUuid, logicalParentUuid].find((each) => typeof each === 'string');
  const record = { uuid, parent, at: typeof timestamp === 'string' ? timestamp : new Date(0).toISOString() };
  const message = line['message'];
  return isSaid(line) && isMessage(message) ? { ...record, message } : record;
}

function isSaid({ type, isMeta, isCompactSummary, isApiErrorMessage, message }: JsonObject): boolean {
  if (isMeta === true || isCompactSummary === true) return false;
  if (type === 'user') return true;
  // What Claude Code puts into the model's mouth, unless it tells of an error.
  const isInvented = isJsonObject(message) && message['model'] === '<synthetic>' && isApiErrorMessage !== true;
  return type === 'assistant' && !isInvented;
}

function isMessage(message: JsonValue | undefined): message is NonNullable<TranscriptRecord['message']> {
  return isJsonObject(message) && (message['role'] === 'user' || message['role'] === 'assistant');
}
