import type { Command } from 'commander';
import type { ServerDiff } from '../../../catalog/lock/diff-lock.ts';
import { type Lock, type LockedServer, lockFileName } from '../../../catalog/lock/lock-types.ts';
import { acceptedPin } from '../../../catalog/pins/pins.ts';
import {
  type ServerLockStatus,
  acceptedServer,
  acceptsPin,
  setLockedServer,
  setLockedTool,
} from '../../../config/lock/lock-status.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { fullNames } from '../../../core/tools/tool-names.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { type CliError, usageError } from '../../cli-error.ts';
import { printJson } from '../../terminal/terminal.ts';
import type { ServerComparison } from './compare-servers.ts';
import { diffLines } from './server-diff-lines.ts';

interface AcceptOptions {
  readonly tool?: string;
  readonly all?: true;
}

/** Adds `lock accept`, which accepts the current definitions of a server. */
export function addAcceptCommand(lock: Command, { terminal: { output, errors } }: CommandContext): void {
  lock
    .command('accept')
    .summary('accept the current definitions of a server')
    .description(
      `Accepts the current definitions of a server and prints the changes. It updates ${lockFileName} or, for a server without a lock, the pinned definitions. A locked server that is no longer configured is removed from the lock.`,
    )
    .argument('[server]', 'the server')
    .option('--tool <name>', 'only this tool, by its name on the server or its full name')
    .option('--all', 'every server that has changed')
    .action(async (named: string | undefined, options: AcceptOptions, command: Command) => {
      const globals = readGlobalOptions(command);
      if ((named === undefined) === (options.all === undefined) || (options.all && options.tool !== undefined))
        throw usageError('name one server, or add --all', 'signalbox lock diff shows the servers that have changed');
      const { compareServers, noSuchServer } = await import('./compare-servers.ts');
      const comparison = await compareServers(globals, errors);
      const statuses = comparison.statuses.filter(({ server, status }) =>
        named === undefined ? status === 'changed' : server === named,
      );
      if (named !== undefined && statuses.length === 0) throw noSuchServer(named, comparison.statuses);
      const results: Accepted[] = [];
      let { lock: locked } = comparison;
      for (const lockStatus of statuses) {
        const result = await acceptOne(lockStatus, { ...comparison, lock: locked }, options.tool, globals);
        results.push(result);
        locked = result.lock;
      }
      const items = results.map(({ lock: _, ...item }) => item);
      if (globals.json) return printJson(output, named === undefined ? { items } : items[0]);
      const lines = items.flatMap(({ server, diff, tools, isLocked }) => [
        ...(diff === undefined ? [] : [...(named === undefined ? [server] : []), ...diffLines(diff, output)]),
        isLocked
          ? `${server} is locked, ${pluralize(tools, 'tool')}`
          : tools > 0
            ? `accepted ${pluralize(tools, 'tool')} of ${server}`
            : `${server} is no longer locked`,
      ]);
      await output.print(`${lines.length === 0 ? 'nothing changed' : lines.join('\n')}\n`);
    });
}

interface Accepted {
  readonly server: string;
  readonly diff: ServerDiff | undefined;
  readonly tools: number;
  readonly isLocked: boolean;
  /** The resulting lock. */
  readonly lock: Lock | undefined;
}

async function acceptOne(
  lockStatus: ServerLockStatus,
  comparison: ServerComparison,
  named: string | undefined,
  { data }: GlobalOptions,
): Promise<Accepted> {
  const { server } = lockStatus;
  const tool = named === undefined ? undefined : toOwnName(named, server, comparison);
  const diff = tool === undefined ? lockStatus.diff : filterDiff(lockStatus.diff, tool);
  if (acceptsPin(lockStatus)) {
    const tools = await acceptPin(lockStatus, comparison, tool, data);
    return { server, diff, tools, isLocked: false, lock: comparison.lock };
  }
  const accepted =
    tool === undefined ? acceptedServer(lockStatus, comparison.now) : acceptTool(tool, lockStatus, comparison);
  const lock = setLockedServer(comparison.lock, server, accepted);
  const { configuration, directory, store, file } = comparison;
  const { withAccepted } = await import('./compare-servers.ts');
  const { openTrust } = await import('../../../host/open-trust.ts');
  await withAccepted({ store, data }, async (changes) => {
    await changes.accept(server, file, accepted);
    changes.writeFile(directory, lock);
    openTrust(data).acceptLock(configuration.file);
  });
  return { server, diff, tools: accepted?.tools.size ?? 0, isLocked: accepted !== undefined, lock };
}

/** Replaces the pin of a server, through the running server if that reported the change. Returns the number of accepted tools. */
async function acceptPin(
  { server, fingerprint, tools: count }: ServerLockStatus,
  { atServer, pins, now, configuration }: ServerComparison,
  tool: string | undefined,
  data: string,
): Promise<number> {
  const changed = atServer?.changed.get(server);
  if (atServer !== undefined && changed !== undefined) {
    if (tool !== undefined && changed.diff?.tools.some((each) => each.tool === tool) !== true)
      throw unchangedTool(tool, changed);
    const body = { seen: fingerprint, tool };
    await atServer.client.request('POST', `/api/lock/${encodeURIComponent(server)}/accept`, { body });
    return tool === undefined ? count : 1;
  }
  const present = now.servers.get(server);
  if (present === undefined) return 0;
  const pin = pins.get(server) ?? { tools: new Map() };
  if (tool !== undefined && !present.tools.has(tool)) throw unknownTool(tool, server, now);
  const accepted = tool === undefined ? acceptedPin(pin, present) : setLockedTool(pin, tool, present);
  const { withPins } = await import('../../../host/store/stored-pins.ts');
  await withPins(configuration, data, async (stored) => await stored.replace(server, accepted));
  return tool === undefined ? present.tools.size : 1;
}

/** Returns the name of a tool on its server, for its own or full name. */
function toOwnName(name: string, server: string, { lock, now, atServer }: ServerComparison): string {
  const changed = atServer?.changed.get(server)?.diff?.tools ?? [];
  const known = [
    ...[lock, now].flatMap((each) => [...(each?.servers.get(server)?.tools.keys() ?? [])]),
    ...changed.map(({ tool }) => tool),
  ];
  if (known.includes(name)) return name;
  return known.find((tool) => fullNames({ server, tool }).includes(name)) ?? name;
}

function acceptTool(
  tool: string,
  lockStatus: ServerLockStatus,
  comparison: ServerComparison,
): LockedServer | undefined {
  const { lock, now } = comparison;
  const { server } = lockStatus;
  const locked = lock?.servers.get(server);
  if (locked === undefined)
    throw usageError(
      `server "${server}" is not locked yet; locking only one tool would hide all its others`,
      `signalbox lock accept ${server}`,
    );
  const present = acceptedServer(lockStatus, now);
  if (present?.tools.has(tool) !== true && !locked.tools.has(tool)) throw unknownTool(tool, server, now);
  return setLockedTool(locked, tool, present);
}

function unchangedTool(tool: string, { server, diff }: ServerLockStatus): CliError {
  const changed = diff?.tools.map((each) => each.tool) ?? [];
  const hint = changed.length === 0 ? 'only its instructions changed' : `these have: ${changed.join(', ')}`;
  return usageError(
    `no tool ${JSON.stringify(tool)} of server "${server}" has changed; ${hint}`,
    `signalbox lock diff ${server}`,
  );
}

function unknownTool(tool: string, server: string, now: Lock): CliError {
  const meant = closestMatch(tool, [...(now.servers.get(server)?.tools.keys() ?? [])]);
  const hint = meant === undefined ? 'use the name on the server, or mcp__server__tool' : `did you mean "${meant}"?`;
  return usageError(
    `server "${server}" has no tool named ${JSON.stringify(tool)}; ${hint}`,
    `signalbox lock diff ${server}`,
  );
}

function filterDiff(diff: ServerDiff | undefined, tool: string): ServerDiff | undefined {
  return diff === undefined
    ? undefined
    : { server: diff.server, tools: diff.tools.filter((each) => each.tool === tool) };
}
