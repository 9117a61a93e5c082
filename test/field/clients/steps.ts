import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '../../../src/core/errors.ts';
import { largeLines, picture } from './fixture-content.ts';

/** A result as a client returns it to its user. */
export interface ClientCallResult {
  readonly text: string;
  readonly isError: boolean;
  readonly structured?: unknown;
  /** Pictures in base64. */
  readonly pictures: readonly string[];
}

/** Options of a call, for clients that support them. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: () => void;
}

/** The names of the steps. */
export const stepNames = [
  'list',
  'read',
  'approve',
  'deny',
  'cancel',
  'progress',
  'elicit',
  'large',
  'picture',
] as const;
export type StepName = (typeof stepNames)[number];

/** A client that is connected to Signalbox. It answers the elicitation of a name with "Ada". */
export interface ConnectedClient {
  /** Returns the names of the tools, as the client shows them. */
  list(): Promise<readonly string[]>;
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ClientCallResult>;
  /** The steps that the client does not support, with the reason. */
  readonly unable?: Partial<Record<StepName, string>>;
  /** Whether the client is an agent, which shortens long results and scales pictures for its model. */
  readonly isAgent?: boolean;
  close(): Promise<void>;
}

/** The outcome of a step: completed, not supported by this client, or failed. */
export type StepOutcome =
  | { readonly kind: 'ok' }
  | { readonly kind: 'unable'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** The tools of the fixture, as Signalbox renders them. */
const prefix = 'mcp__fixture__';
const tools = [
  'read_note',
  'send_note',
  'delete_note',
  'wait_long',
  'make_steps',
  'ask_name',
  'read_large',
  'read_picture',
];
const markTimeoutMs = 60_000;

/** The reason with which the human of the test denies. */
export const denialReason = 'not on a Friday';

type Step = (client: ConnectedClient, marks: string) => Promise<string | undefined>;

/** Each step returns its failure, or `undefined` on success. */
const steps: Record<StepName, Step> = {
  async list(client) {
    const names = await client.list();
    const missing = tools.filter((tool) => !names.some((name) => name.endsWith(prefix + tool)));
    return missing.length === 0 ? undefined : `not listed: ${missing.join(', ')}`;
  },
  async read(client) {
    return expectText(await client.call(`${prefix}read_note`, {}), 'Milk, bread, a long walk.');
  },
  async approve(client) {
    return expectText(await client.call(`${prefix}send_note`, { to: 'Ada' }), 'sent to Ada');
  },
  async deny(client) {
    const { isError, text } = await resultOrError(client.call(`${prefix}delete_note`, {}));
    // Some model APIs have no error flag.
    if (!isError && client.isAgent !== true) return `a denied call was not reported as an error: ${text}`;
    return text.includes(denialReason) ? undefined : `the reason is missing: ${text}`;
  },
  async cancel(client, marks) {
    const before = marksIn(marks);
    const abort = new AbortController();
    const ended = client.call(`${prefix}wait_long`, {}, { signal: abort.signal }).then(
      ({ text }) => text,
      (error: unknown) => messageOf(error),
    );
    if (!(await marked(marks, 'begun', before.begun))) return 'the call never reached the server';
    abort.abort();
    if (!(await marked(marks, 'cancelled', before.cancelled)))
      return `the cancellation never reached the server: ${await ended}`;
    await ended;
    return undefined;
  },
  async progress(client) {
    let count = 0;
    const result = await client.call(`${prefix}make_steps`, {}, { onProgress: () => (count += 1) });
    return count >= 3 ? undefined : `${count} of 3 notifications arrived; ${result.text}`;
  },
  async elicit(client) {
    return expectText(await client.call(`${prefix}ask_name`, {}), 'hello Ada');
  },
  async large(client) {
    const { isError, text, structured } = await client.call(`${prefix}read_large`, {});
    if (isError) return text.slice(0, 300);
    if (structured !== undefined) {
      const { lines } = structured as { lines?: readonly string[] };
      return JSON.stringify(lines) === JSON.stringify(largeLines) ? undefined : 'structured content was changed';
    }
    // Agents show the beginning, or the file in which they stored the result.
    const isThere =
      client.isAgent === true
        ? text.includes(largeLines[0] ?? '') || /\bsaved\b/i.test(text)
        : text.includes(largeLines.at(-1) ?? '');
    return isThere ? undefined : `the text is missing in: ${text.slice(0, 300)}`;
  },
  async picture(client) {
    const { isError, text, pictures } = await client.call(`${prefix}read_picture`, {});
    if (isError) return text.slice(0, 300);
    return (client.isAgent === true ? pictures.length > 0 : pictures[0] === picture)
      ? undefined
      : `the picture is missing; received ${pictures.length} other pictures and: ${text.slice(0, 200)}`;
  },
};

/** Runs every step with a client, in order. A step that hangs fails after `stepTimeoutMs`. */
export async function runSteps(
  client: ConnectedClient,
  marks: string,
  stepTimeoutMs: number,
): Promise<Record<StepName, StepOutcome>> {
  const outcomes: Partial<Record<StepName, StepOutcome>> = {};
  for (const name of stepNames) {
    const reason = client.unable?.[name];
    outcomes[name] =
      reason === undefined ? await runStep(steps[name], client, marks, stepTimeoutMs) : { kind: 'unable', reason };
  }
  return outcomes as Record<StepName, StepOutcome>;
}

async function runStep(step: Step, client: ConnectedClient, marks: string, timeoutMs: number): Promise<StepOutcome> {
  const late = wait(timeoutMs, `did not end within ${timeoutMs / 1000} s`, { ref: false });
  const failure = await Promise.race([step(client, marks).catch((error: unknown) => messageOf(error)), late]);
  return failure === undefined ? { kind: 'ok' } : { kind: 'failed', reason: failure };
}

function expectText({ text, isError }: ClientCallResult, expected: string): string | undefined {
  return !isError && text.includes(expected) ? undefined : `${isError ? 'error' : 'result'}: ${text.slice(0, 300)}`;
}

/** Returns the result of a call, or its error as a result: some clients throw errors that others return. */
async function resultOrError(call: Promise<ClientCallResult>): Promise<ClientCallResult> {
  return call.catch((error: unknown) => ({ text: messageOf(error), isError: true, pictures: [] }));
}

function marksIn(file: string): { readonly begun: number; readonly cancelled: number } {
  const lines = readFileSync(file, 'utf8').split('\n');
  const count = (word: string): number => lines.filter((line) => line === word).length;
  return { begun: count('begun'), cancelled: count('cancelled') };
}

async function marked(file: string, word: 'begun' | 'cancelled', before: number): Promise<boolean> {
  for (const end = Date.now() + markTimeoutMs; Date.now() < end; await wait(50))
    if (marksIn(file)[word] > before) return true;
  return false;
}
