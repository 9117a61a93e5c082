import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { configurationFileNames } from '../../../config/configuration.ts';
import { locateConfiguration } from '../../../config/file/configuration-files.ts';
import { parseJsonDocument } from '../../../config/file/json-document.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { CliError, suggestion } from '../../cli-error.ts';
import { type GlobalOptions } from '../../command-context.ts';
import { shortPath } from '../../../host/data-directory.ts';

/** The configuration file that a command changes. */
export interface TargetConfiguration {
  readonly file: string;
  /** The base of relative paths in the file. */
  readonly directory: string;
  readonly exists: boolean;
  /** The names of its servers. */
  readonly names: readonly string[];
  /** The entries of its servers. */
  readonly entries: JsonObject;
  isDisabled(name: string): boolean;
  /** Returns the line on which the entry of a server begins. */
  lineOf(name: string): number;
}

/** Returns the configuration that the options name, the nearest one, or a new one in the current directory. */
export function targetConfiguration({ config }: GlobalOptions): TargetConfiguration {
  const found = locateConfiguration(config);
  const file = found ?? resolve(configurationFileNames[0]);
  const text = textOf(file);
  const document = parseJsonDocument(text ?? '{}');
  const root = isJsonObject(document.value) ? document.value : {};
  const servers = isJsonObject(root['mcpServers']) ? root['mcpServers'] : {};
  return {
    file,
    directory: dirname(file),
    exists: text !== undefined,
    names: Object.keys(servers),
    entries: servers,
    isDisabled: (name) => isJsonObject(servers[name]) && servers[name]['disabled'] === true,
    lineOf: (name) => document.placeOf(document.offsetOf(['mcpServers', name])).line,
  };
}

/** Formats a file and line, which editors and terminals make clickable. */
export function formatLocation(file: string, line: number): string {
  const near = relative(process.cwd(), file);
  return `${near === '' || near.startsWith('..') ? shortPath(file) : near}:${line}`;
}

/** Creates the error for a server that the configuration does not have. */
export function unknownServer(name: string, { names, file, exists }: TargetConfiguration): CliError {
  const what = exists
    ? `${shortPath(file)} has no server "${name}"`
    : `no server "${name}": there is no configuration file`;
  const next = 'signalbox tools --why lists the servers';
  return new CliError(2, 'server-unknown', what, { ...suggestion(name, names), next });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(2, 'configuration-unreadable', `cannot read ${shortPath(file)}`, { cause: error });
  }
}
