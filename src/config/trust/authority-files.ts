import { resolve } from 'node:path';
import type { ProtectedFile } from '../../core/calls/decision.ts';
import type { Configuration, ServerEntry } from '../configuration.ts';
import { configurationFiles } from '../file/configuration-files.ts';
import { lockFile } from '../lock/lock-file.ts';
import { startFiles, statOf } from './start-files.ts';

/**
 * Returns the files that a configuration executes or trusts, whether or not they exist: the configuration file, its lock, policy file and
 * tool modules, and the programs and scripts of its servers and agents.
 */
export function authorityFiles(configuration: Configuration): ProtectedFile[] {
  const { file, directory, policies, servers, agents } = configuration;
  const roleOf = (path: string): string => {
    if (path === lockFile(directory)) return 'the lock of accepted tool definitions';
    return path === policies?.path && path !== file ? 'a policy file' : 'the configuration of Signalbox';
  };
  return [
    ...configurationFiles(configuration).map((path) => ({ path, role: roleOf(path) })),
    ...servers.flatMap((entry) => filesOfServer(entry, directory)),
    ...agents.entries.flatMap((entry) =>
      'executable' in entry && entry.executable !== undefined
        ? [{ path: resolve(directory, entry.executable), role: `the program of agent "${entry.name}"` }]
        : [],
    ),
  ];
}

/** Returns the directories from which a server may resolve relative paths. */
export function baseDirectories(entry: ServerEntry, directory: string): string[] {
  const workspace = entry.limits.workspace ?? [];
  if (entry.kind === 'local') return [directory, ...workspace];
  const { args = [], roots = [], cwd: given = '.' } = entry.settings;
  const cwd = resolve(directory, given);
  const named = args.map((each) => resolve(cwd, each)).filter((path) => statOf(path)?.isDirectory() === true);
  return [...new Set([cwd, ...workspace, ...roots, ...named])];
}

function filesOfServer(entry: ServerEntry, directory: string): ProtectedFile[] {
  if (entry.kind === 'local') return [{ path: entry.module, role: `the tool module of server "${entry.name}"` }];
  const role = `code that server "${entry.name}" is started from`;
  return startFiles(entry, directory).map((path) => ({ path, role }));
}
