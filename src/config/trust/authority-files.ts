import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProtectedFile } from '../../core/calls/decision.ts';
import type { Configuration, ExternalEntry, ServerEntry } from '../configuration.ts';
import { configurationFiles } from '../file/find-configuration.ts';
import { lockFile } from '../lock/lock-file.ts';

const codeFile = /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|php|lua|sh|bash|zsh|fish|ps1|bat|cmd|exe|jar|wasm|go|rs)$/i;
const executable = 0o111;

/**
 * Returns the files that a configuration runs or reads as authority, whether or not they exist: itself, its lock, policy file and tool
 * modules, and the programs and scripts that its servers and agents are started from.
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
  const { args = [], roots = [] } = entry.settings;
  const cwd = cwdOf(entry, directory);
  const named = args.map((each) => resolve(cwd, each)).filter((path) => statOf(path)?.isDirectory() === true);
  return [...new Set([cwd, ...workspace, ...roots, ...named])];
}

function filesOfServer(entry: ServerEntry, directory: string): ProtectedFile[] {
  if (entry.kind === 'local') return [{ path: entry.module, role: `the tool module of server "${entry.name}"` }];
  const { command, args = [] } = entry.settings;
  if (command === undefined) return [];
  const cwd = cwdOf(entry, directory);
  const role = `code that server "${entry.name}" is started from`;
  // An option may hold a path: --import=./hook.mjs.
  const words = args.flatMap((each) => (each.startsWith('-') ? each.split('=').slice(1) : [each]));
  return [...(/[/\\]/.test(command) ? [command] : []), ...words.filter((word) => isCode(resolve(cwd, word)))].map(
    (each) => ({ path: resolve(cwd, each), role }),
  );
}

function cwdOf({ settings }: ExternalEntry, directory: string): string {
  return resolve(directory, settings.cwd ?? '.');
}

/** A script that does not exist yet is known by its name alone. */
function isCode(path: string): boolean {
  const stats = statOf(path);
  if (stats?.isDirectory() === true) return false;
  return codeFile.test(path) || (stats !== undefined && (stats.mode & executable) !== 0);
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
