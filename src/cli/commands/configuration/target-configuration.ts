import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { configurationFileNames } from '../../../config/configuration.ts';
import { findConfiguration } from '../../../config/file/find-configuration.ts';
import { parseJsonDocument } from '../../../config/file/json-document.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { Failure } from '../../failure.ts';
import { type GlobalOptions } from '../../global-options.ts';
import { shortPath } from '../../../host/data-directory.ts';

/** The configuration file that a command is to change. */
export interface TargetConfiguration {
  readonly file: string;
  /** The directory that its paths start from. */
  readonly directory: string;
  readonly exists: boolean;
  /** The names of its servers. */
  readonly names: readonly string[];
  /** The entry of a server; `undefined` when there is none, or none that is an object. */
  entry(name: string): Readonly<Record<string, unknown>> | undefined;
  /** The line on which the entry of a server begins. */
  lineOf(name: string): number;
}

/** The named configuration or the nearest one; one to be made in the current directory when there is none. */
export function targetConfiguration({ config }: GlobalOptions): TargetConfiguration {
  const found = config === undefined ? findConfiguration(process.cwd()) : resolve(config);
  const file = found ?? resolve(configurationFileNames[0]);
  const text = textOf(file);
  const document = parseJsonDocument(text?.replace(/^\ufeff/, '') ?? '{}');
  const entries = own(document.value, 'mcpServers');
  return {
    file,
    directory: dirname(file),
    exists: text !== undefined,
    names: isRecord(entries) ? Object.keys(entries) : [],
    entry: (name) => {
      const entry = own(entries, name);
      return isRecord(entry) ? entry : undefined;
    },
    lineOf: (name) => document.placeOf(document.offsetOf(['mcpServers', name])).line,
  };
}

/** A place in a file, in a form that editors and terminals make clickable. */
export function formatLocation(file: string, line: number): string {
  const near = relative(process.cwd(), file);
  return `${near === '' || near.startsWith('..') ? shortPath(file) : near}:${line}`;
}

/** A server that the configuration does not have. */
export function unknownServer(name: string, { names, file, exists }: TargetConfiguration): Failure {
  const what = exists ? `${shortPath(file)} has no server "${name}"` : `no configuration file, so no server "${name}"`;
  const meant = closestMatch(name, names);
  return new Failure(2, 'server-unknown', what, {
    ...(meant === undefined ? {} : { lines: [`did you mean "${meant}"?`], data: { nearest: meant } }),
    next: 'signalbox tools --why lists the servers',
  });
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Failure(2, 'configuration-unreadable', `${shortPath(file)} cannot be read`, { cause: error });
  }
}

function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
