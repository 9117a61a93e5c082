import { setTimeout as wait } from 'node:timers/promises';
import { assertServerName } from '../../core/tools/tool-names.ts';
import { truncateProse, definitionLimits } from '../../catalog/source/definition-limits.ts';
import { type Source, type SourceHealth, type SourceState, limitsOf } from '../../catalog/source/source.ts';
import type { LogLevel, CallRoot } from '../../core/calls/call-client.ts';
import { type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { raceAbort } from '../../core/async/light-abort-signal.ts';
import { Connection, type ServerListName } from './connection/connection.ts';
import type { McpServerInfo } from './connection/server-link.ts';
import { type McpServerOptions, connectionOptions } from './mcp-server-options.ts';
import { RecentLines } from '../../process/recent-lines.ts';
import { RemoteContent } from './content/remote-content.ts';
import { RemoteTools } from './content/remote-tools.ts';
import { Supervisor } from './supervision/supervisor.ts';

/** The health of a server and its self-description. */
export type McpServerHealth = SourceHealth & Partial<McpServerInfo>;

/** An MCP server as a source of tools, resources and prompts. */
export interface McpServer extends Source {
  /** Resolves when the first connection attempt succeeded or failed. */
  ready(): Promise<void>;
  /** Closes the connection and opens a new one. */
  restart(): Promise<void>;
  health(): McpServerHealth;
  /** Resolves when no call is running, or after this time. */
  drained(withinMs: number): Promise<void>;
  /** Replaces the roots that the server sees when a caller has none of its own. */
  setRoots(roots: readonly CallRoot[]): void;
  /** Sets the minimum level of the server's log messages. */
  setLogLevel(level: LogLevel): void;
}

const pauseMs = 100;
const otherLists = ['resources', 'resourceTemplates', 'prompts'] as const;

/**
 * Connects to an MCP server and stays connected until it is closed.
 *
 * @example
 * const files = mcpServer({ name: 'files', transport: { type: 'stdio', command: 'mcp-server-filesystem', args: ['.'] } });
 */
export function mcpServer(options: McpServerOptions): McpServer {
  assertServerName(options.name);
  const listeners = new Set<() => void>();
  const redact = options.redact ?? ((text: string) => text);
  const lines = new RecentLines(redact);
  const following = new Map<ServerListName, 'up to date' | 'changed again'>();
  /** Notices about lists that did not end. */
  const cuts = new Map<ServerListName, string>();
  let state: SourceState | undefined;
  let facts: McpServerInfo | undefined;
  let { roots = [], logLevel } = options;

  const changed = (): void => {
    state = undefined;
    for (const listener of listeners) listener();
  };
  const tools = new RemoteTools(
    (name, args, context, headers) => {
      const signal = context.ending ?? context.signal;
      const given = {
        signal,
        context,
        onProgress: context.isFollowed === false ? undefined : context.progress,
        headers: headers?.(args),
      };
      return supervisor.run(name, signal, (connection) => connection.callTool(name, args, given));
    },
    options.schema ?? {},
    changed,
  );
  const content = new RemoteContent(() => supervisor, changed);

  const relist = async (connection: Connection, list: ServerListName): Promise<void> => {
    let cut: string | undefined;
    const listed = await connection.list(list, (notice) => (cut = notice));
    const items = listed.map((item) => withoutSecrets(item, redact));
    if (cut !== cuts.get(list)) {
      if (cut === undefined) cuts.delete(list);
      else cuts.set(list, cut);
      changed();
    }
    if (list === 'tools') tools.update(items, connection.sendsHeaders);
    else content.update(list, items);
  };
  // At once, then again after a pause at the earliest, since servers that add many tools send a notification for each. One request at a
  // time, so that the last list wins.
  const follow = async (list: ServerListName): Promise<void> => {
    if (following.has(list)) {
      following.set(list, 'changed again');
      return;
    }
    const lists: ServerListName[] = list === 'resources' ? [list, 'resourceTemplates'] : [list];
    do {
      following.set(list, 'up to date');
      // The notification may arrive while the connection is still being opened, after its first list was read.
      if (supervisor.connection === undefined) await wait(pauseMs, undefined, { ref: false });
      const { connection } = supervisor;
      // On failure the list stays as it is; the check finds out whether the connection is lost.
      if (connection !== undefined)
        await Promise.all(lists.map((each) => relist(connection, each))).catch(() => connection.check());
      await wait(pauseMs, undefined, { ref: false });
    } while (following.get(list) === 'changed again');
    following.delete(list);
  };

  const open = async (signal: AbortSignal): Promise<Connection> => {
    const connecting = {
      lines,
      logLevel,
      signal,
      roots: () => roots,
      onListChanged: (list: ServerListName) => void follow(list),
      onResourceUpdated: (uri: string) => content.updated(uri),
    };
    const given = await raceAbort(() => connectionOptions(options, connecting), signal);
    const connection = await Connection.open(given);
    try {
      // Only the tools are required.
      const others = otherLists.map((list) => relist(connection, list).catch(() => undefined));
      const everything = Promise.all([relist(connection, 'tools'), ...others, content.connected(connection)]);
      await raceAbort(() => everything, signal);
    } catch (error) {
      if (!signal.aborted) await connection.forgetProtocolVersion();
      await connection.close();
      throw error;
    }
    facts = redactedCopy(connection.facts, redact);
    return connection;
  };
  const supervisor = new Supervisor({
    server: options.name,
    open,
    redact,
    onChange: changed,
    idleStopMs: options.idleStopMs,
  });

  return {
    server: options.name,
    adapter: `mcp:${options.name}`,
    ...(options.required === undefined ? {} : { required: options.required }),
    limits: limitsOf(options),
    content,
    state() {
      const { down } = supervisor;
      const { instructions } = facts ?? {};
      return (state ??= omitUndefined({
        ...tools.listing,
        notices: [...tools.listing.notices, ...content.notices, ...cuts.values(), ...instructionsCut(instructions)],
        content: content.listing,
        instructions: instructions === undefined ? undefined : truncateProse(instructions),
        down,
      }));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await supervisor.stop();
      changed();
    },
    ready: () => supervisor.ready(),
    restart: () => supervisor.restart(),
    drained: (withinMs) => supervisor.drained(withinMs),
    health: () => ({ ...supervisor.supervision, ...facts, stderr: lines.all() }),
    setRoots(now) {
      roots = now;
      // A new connection reads the roots again.
      void supervisor.connection?.rootsChanged().catch(() => undefined);
    },
    setLogLevel(level) {
      logLevel = level;
      void supervisor.connection?.setLogLevel(level).catch(() => undefined);
    },
  };
}

/** Fields that identify an entry in requests to the server, which redaction must not change. */
const addresses = ['name', 'uri', 'uriTemplate'] as const;

/** Returns a listed definition without the secrets that the server was given. */
function withoutSecrets(item: JsonValue, redact: (text: string) => string): JsonValue {
  if (!isJsonObject(item)) return item;
  const redacted = redactedCopy(item, redact);
  if (redacted === item) return item;
  const identifying = addresses.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]] as const]));
  return { ...redacted, ...Object.fromEntries(identifying) };
}

/** Returns a redacted copy, or the value itself when nothing is redacted. */
function redactedCopy<Value extends object>(value: Value, redact: (text: string) => string): Value {
  const text = JSON.stringify(value);
  const redacted = redact(text);
  return redacted === text ? value : (JSON.parse(redacted) as Value);
}

function instructionsCut(instructions = ''): string[] {
  const { maxProseLength } = definitionLimits;
  return instructions.length <= maxProseLength
    ? []
    : [`its instructions have ${instructions.length} characters and are truncated to ${maxProseLength}`];
}
