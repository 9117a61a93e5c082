import type { Command } from 'commander';
import type { ServerDiff } from '../../catalog/lock/diff-lock.ts';
import { type Lock, type LockedServer, lockFileName } from '../../catalog/lock/lock.ts';
import { acceptedServer, withServer } from '../../config/lock/accept-server.ts';
import type { ServerStanding } from '../../config/lock/standing.ts';
import { nearest } from '../../model/nearest.ts';
import { fullNames } from '../../model/tool-names.ts';
import type { CommandContext } from '../command-context.ts';
import { type Failure, usageFailure } from '../fail.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';
import type { Looked } from './look-at-servers.ts';
import { diffLines } from './print-diff.ts';

/** `signalbox lock accept`: what the server says now is what shall hold. */
export function addAcceptCommand(lock: Command, { terminal: { output, errors } }: CommandContext): void {
  lock
    .command('accept')
    .summary('take over what a server says now')
    .description(
      `Puts what a server says now into ${lockFileName}, and prints what that changes. ` +
        'A server that is not configured any more is taken out.',
    )
    .argument('<server>', 'the server')
    .option('--tool <name>', 'only this tool, by the server’s own name for it or by its full name')
    .action(async (server: string, { tool: named }: { tool?: string }, command: Command) => {
      const globals = globalsOf(command);
      const [{ lookAtServers, unknownServer }, { withAccepted }] = await Promise.all([
        import('./look-at-servers.ts'),
        import('./with-accepted.ts'),
      ]);
      const looked = await lookAtServers(globals, errors);
      const standing = looked.standings.find((each) => each.server === server);
      if (standing === undefined) throw unknownServer(server, looked.standings);
      const tool = named === undefined ? undefined : ownName(named, server, looked);
      const accepted = tool === undefined ? acceptedServer(standing, looked.now) : oneTool(tool, standing, looked);
      const diff = tool === undefined ? standing.diff : onlyTool(standing.diff, tool);
      const { directory, store, file } = looked;
      await withAccepted({ store, data: globals.data }, async (changes) => {
        await changes.accept(server, file, accepted);
        changes.writeFile(directory, withServer(looked.lock, server, accepted));
      });
      const locked = accepted?.tools.size;
      if (globals.json) return printJson(output, { server, diff, tools: locked ?? 0, isLocked: locked !== undefined });
      const end =
        locked === undefined ? `${server} is not locked any more` : `${server} is locked, ${locked} of its tools`;
      await output.print(`${[...(diff === undefined ? [] : diffLines(diff, output)), end].join('\n')}\n`);
    });
}

/** Returns the server's own name for a tool that may be named in full. */
function ownName(given: string, server: string, { lock, now }: Looked): string {
  const known = [lock, now].flatMap((each) => [...(each?.servers.get(server)?.tools.keys() ?? [])]);
  if (known.includes(given)) return given;
  return known.find((tool) => fullNames({ server, tool }).includes(given)) ?? given;
}

function oneTool(tool: string, standing: ServerStanding, looked: Looked): LockedServer | undefined {
  const { lock, now } = looked;
  const { server } = standing;
  const locked = lock?.servers.get(server);
  if (locked === undefined)
    throw usageFailure(`server "${server}" is not locked yet; with one tool alone all its others would be hidden`, {
      next: `signalbox lock accept ${server}`,
    });
  const definition = acceptedServer(standing, now)?.tools.get(tool);
  if (definition === undefined && !locked.tools.has(tool)) throw unknownTool(tool, server, now);
  const tools = new Map(locked.tools);
  if (definition === undefined) tools.delete(tool);
  else tools.set(tool, definition);
  return { ...locked, tools };
}

function unknownTool(tool: string, server: string, now: Lock): Failure {
  const meant = nearest(tool, [...(now.servers.get(server)?.tools.keys() ?? [])]);
  const hint = meant === undefined ? 'its own names count, and mcp__server__tool' : `did you mean "${meant}"?`;
  return usageFailure(`server "${server}" has no tool named ${JSON.stringify(tool)}; ${hint}`, {
    next: `signalbox lock diff ${server}`,
  });
}

function onlyTool(diff: ServerDiff | undefined, tool: string): ServerDiff | undefined {
  return diff === undefined
    ? undefined
    : { server: diff.server, tools: diff.tools.filter((each) => each.tool === tool) };
}
