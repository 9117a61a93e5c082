import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/json/json.ts';

/** A published server: its package, its start, and the compared calls. */
export interface FieldServer {
  /** The name under which Signalbox mounts it. */
  readonly name: string;
  /** The npm package with its exact version. */
  readonly package: string;
  /** The command of the package, if it has several. */
  readonly bin?: string;
  readonly args?: readonly string[];
  /** Dummy keys and switches. `{workspace}` and `{home}` are replaced by directories of the run. */
  readonly env?: Readonly<Record<string, string>>;
  /** Additional keys of its entry in the configuration of Signalbox. */
  readonly settings?: JsonObject;
  /** Harmless calls; derived from the read-only tools by default. */
  readonly calls?: readonly FieldCall[];
  readonly masks?: readonly Mask[];
}

/** A call that is made directly and behind Signalbox. */
export interface FieldCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A value that changes from run to run, with the reason. */
export interface Mask {
  /** A regular expression; every match in any text is replaced. */
  readonly pattern?: string;
  /** A regular expression over paths such as `calls[0].result.structuredContent.uptime`; the whole value is replaced. */
  readonly path?: string;
  readonly reason: string;
}

/** Reads the committed list, or another list of the same format. */
export function readServerList(file = join(import.meta.dirname, 'servers.json')): readonly FieldServer[] {
  const servers = JSON.parse(readFileSync(file, 'utf8')) as readonly FieldServer[];
  const names = new Set<string>();
  for (const { name, package: spec, masks = [] } of servers) {
    if (names.has(name)) throw new Error(`${file}: the server "${name}" is listed twice. Rename one of them.`);
    if (!/^(@[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+[^@]*$/.test(spec))
      throw new Error(`${file}: the package of "${name}" is "${spec}". Write it with its exact version: name@1.2.3.`);
    if (masks.some(({ reason, pattern, path }) => !reason || (pattern ?? path) === undefined))
      throw new Error(`${file}: a mask of "${name}" lacks a reason, or both "pattern" and "path". Add them.`);
    names.add(name);
  }
  return servers;
}

/** Replaces `{workspace}` and `{home}` in every text of a value. */
export function fillIn<Value>(value: Value, directories: Readonly<Record<string, string>>): Value {
  if (typeof value === 'string')
    return value.replace(/\{(workspace|home)\}/g, (whole, name: string) => directories[name] ?? whole) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => fillIn(each, directories)) as Value;
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fillIn(each, directories)])) as Value;
  return value;
}
