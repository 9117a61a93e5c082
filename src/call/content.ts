import type { Catalog } from '../catalog/catalog.ts';
import type {
  CompletionRequest,
  ContentListing,
  ContentOptions,
  PromptDescription,
  ResourceDescription,
  ResourceTemplateDescription,
  SourceContent,
} from '../catalog/source-content.ts';
import type { Source } from '../catalog/source.ts';
import type { ContentRead } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Redactor } from '../journal/redaction.ts';
import type { CallOptions, Principal } from '../model/call.ts';
import { SignalboxError, messageOf } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { CallClock } from './call-clock.ts';
import type { Limiters } from './limiter.ts';
import { toolClient } from './tool-client.ts';
import type { Ended, Waits } from './waits.ts';

/** What a reader may say besides what to read. */
export type ReadOptions = Pick<
  CallOptions,
  'principal' | 'session' | 'signal' | 'deadline' | 'onProgress' | 'client' | 'profile'
>;

/** Selects the content to list: that of one profile, or all of it. */
export interface ContentView {
  readonly profile?: string | undefined;
}

/** A resource, and the server that has it. */
export type ServerResource = ResourceDescription & { readonly server: string };
/** A resource template, and the server that has it. */
export type ServerResourceTemplate = ResourceTemplateDescription & { readonly server: string };
/** A prompt, and the server that has it. */
export type ServerPrompt = PromptDescription & { readonly server: string };

/** What servers offer besides tools. Answers have the shape that MCP gives them; what fails rejects with a `SignalboxError`. */
export interface BoxContent {
  /** The resources of all servers that are up; with a profile, only of the servers that it shows. */
  resources(view?: ContentView): readonly ServerResource[];
  resourceTemplates(view?: ContentView): readonly ServerResourceTemplate[];
  prompts(view?: ContentView): readonly ServerPrompt[];
  /** The instructions for models of the servers that are up. */
  instructions(view?: ContentView): readonly { readonly server: string; readonly text: string }[];
  /** Reads a resource: `{ contents: […] }`. Recorded, with who read what. */
  readResource(server: string, uri: string, options?: ReadOptions): Promise<JsonObject>;
  /** Has a prompt filled in: `{ messages: […] }`. Recorded. */
  getPrompt(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: ReadOptions,
  ): Promise<JsonObject>;
  /** Asks how an argument may go on: `{ completion: { values: […] } }`. Not recorded: it is asked with every key. */
  complete(server: string, request: CompletionRequest, options?: ReadOptions): Promise<JsonObject>;
  /** Tells whenever a resource changes, until what it returns is called. */
  subscribeResource(server: string, uri: string, listener: () => void): Promise<() => Promise<void>>;
}

/** What reading works with. */
export interface ContentParts {
  readonly catalog: Catalog;
  readonly journal: Journal;
  readonly redactor: Redactor;
  readonly waits: Waits;
  readonly limiters: Limiters;
  readonly timeoutMs: number;
  readonly someone: Principal;
  /** Counts what is under way; throws when the box is closed. */
  underWay<Value>(work: () => Promise<Value>): Promise<Value>;
}

interface Reading {
  readonly what: Pick<ContentRead, 'kind' | 'name' | 'arguments'> | undefined;
  readonly options: ReadOptions;
  ask(content: SourceContent, given: ContentOptions): Promise<JsonObject>;
}

/** Reads resources and prompts: bounded in time and in number like calls, and recorded. */
export function createContent(parts: ContentParts): BoxContent {
  const seen = ({ profile }: ContentView = {}): readonly Source[] => {
    const servers = parts.catalog.contentServers(profile);
    return parts.catalog.available().filter(({ server }) => servers.has(server));
  };

  const listed = <List extends keyof ContentListing>(
    list: List,
    view: ContentView | undefined,
  ): (ContentListing[List][number] & { readonly server: string })[] =>
    seen(view).flatMap((source) => {
      const items: readonly ContentListing[List][number][] = source.state().content?.[list] ?? [];
      return items.map((item) => ({ ...item, server: source.server }));
    });

  const read = (server: string, reading: Reading): Promise<JsonObject> =>
    parts.underWay(async () => {
      const begun = performance.now();
      let error: SignalboxError | undefined;
      try {
        return await ask(parts, server, reading);
      } catch (thrown) {
        error = asError(server, thrown, parts.redactor);
        throw error;
      } finally {
        const durationMs = Math.round((performance.now() - begun) * 1000) / 1000;
        if (reading.what !== undefined) await record(parts, server, reading, durationMs, error);
      }
    });

  return {
    resources: (view) => listed('resources', view),
    resourceTemplates: (view) => listed('resourceTemplates', view),
    prompts: (view) => listed('prompts', view),
    instructions: (view) =>
      seen(view).flatMap((source) => {
        const text = source.state().instructions?.trim() ?? '';
        return text === '' ? [] : { server: source.server, text };
      }),
    readResource: (server, uri, options = {}) =>
      read(server, {
        what: { kind: 'resource', name: uri },
        options,
        ask: (content, given) => content.readResource(uri, given),
      }),
    getPrompt: (server, name, args = {}, options = {}) =>
      read(server, {
        what: { kind: 'prompt', name, arguments: args },
        options,
        ask: (content, given) => content.getPrompt(name, args, given),
      }),
    complete: (server, request, options = {}) =>
      read(server, { what: undefined, options, ask: (content, given) => content.complete(request, given) }),
    subscribeResource: (server, uri, listener) =>
      parts.underWay(async () => {
        try {
          return await contentOf(parts.catalog.reachable(server)).subscribeResource(uri, listener);
        } catch (error) {
          throw asError(server, error, parts.redactor);
        }
      }),
  };
}

async function ask(parts: ContentParts, server: string, { options, ask: put }: Reading): Promise<JsonObject> {
  if (options.profile !== undefined && !parts.catalog.contentServers(options.profile).has(server))
    throw new SignalboxError('content-failed', `profile "${options.profile}" does not show server "${server}"`);
  const source = parts.catalog.reachable(server);
  const content = contentOf(source);
  const { signal, onProgress } = options;
  const callers = options.deadline === undefined ? undefined : Number(options.deadline);
  const limiter = parts.limiters.of(source);
  if (!limiter.tryAcquire()) {
    const place = limiter.enqueue();
    if (place === undefined)
      throw new SignalboxError('content-failed', `too many calls wait for server "${server}" already; ask again later`);
    const waited = await parts.waits.until(place.ready, signal, callers);
    if ('ended' in waited) {
      place.leave();
      throw ended(server, waited.ended, 'there was a free place');
    }
  }
  const over = new AbortController();
  const clock = new CallClock(Date.now() + (source.limits.timeoutMs ?? parts.timeoutMs), callers);
  if (signal?.aborted === true || clock.end <= Date.now()) {
    limiter.release();
    throw ended(server, signal?.aborted === true ? 'cancelled' : 'timed-out', 'it was asked');
  }
  const client = toolClient(options.client, {
    server,
    signal: over.signal,
    get isOver() {
      return over.signal.aborted;
    },
    hold: () => clock.hold(),
  });
  const given = { signal: over.signal, client, ...(onProgress === undefined ? {} : { onProgress }) };
  const stop = (why: Ended): void => {
    const name = why === 'timed-out' ? 'TimeoutError' : 'AbortError';
    over.abort(new DOMException(`the reading is over (${why})`, name));
  };
  try {
    const waited = await parts.waits.until(put(content, given), signal, clock, stop);
    if ('ended' in waited) throw ended(server, waited.ended, 'it answered');
    return waited.value;
  } finally {
    if (!over.signal.aborted) over.abort(new DOMException('the reading is over', 'AbortError'));
    limiter.release();
  }
}

function contentOf(source: Source): SourceContent {
  if (source.content !== undefined) return source.content;
  throw new SignalboxError('content-failed', `server "${source.server}" has tools only, no resources or prompts`);
}

function ended(server: string, why: Ended, what: string): SignalboxError {
  const told = {
    cancelled: 'was cancelled',
    'timed-out': 'ran out of time',
    closed: 'was cancelled by the box closing',
  };
  return new SignalboxError('content-failed', `asking server "${server}" ${told[why]} before ${what}`);
}

function asError(server: string, error: unknown, redactor: Redactor): SignalboxError {
  if (error instanceof SignalboxError) return error;
  const message = redactor.text(messageOf(error));
  return new SignalboxError('content-failed', `server "${server}": ${message}`, { cause: error });
}

async function record(
  { journal, redactor, someone }: ContentParts,
  server: string,
  { what, options: { principal = someone, session = '' } }: Reading,
  durationMs: number,
  error: SignalboxError | undefined,
): Promise<void> {
  const outcome = error === undefined ? 'completed' : 'failed';
  const facts = { server, ...what, principal, durationMs, error: error?.message };
  const body = redactor.json(JSON.stringify(facts));
  await journal.append({ type: 'ContentRead', at: Date.now(), call: '', session, tool: '', outcome, body }, 'crash');
}
