import { hash } from 'node:crypto';
import { resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import type { FoundServers, ImportOrigin } from './find-servers.ts';
import type { ClientServer, ImportedEntry, SkippedServer, ToolPermission } from './client-reading.ts';

/** A permission of an imported server, and its client. */
export interface ImportedPermission extends ToolPermission {
  /** The title of the client. */
  readonly client: string;
}

/** A server that is imported, and its new name. */
export interface PlannedServer {
  readonly name: string;
  readonly entry: ImportedEntry;
  /** The files that contain it; several when clients have the same server. */
  readonly origins: readonly ImportOrigin[];
  readonly notes: readonly string[];
  /** The permissions of its tools in these clients. */
  readonly permissions: readonly ImportedPermission[];
}

/** The result of an import before anything is written. */
export interface ImportPlan {
  readonly taken: readonly PlannedServer[];
  /** Servers whose name exists in the configuration. `isDifferent`: no server of the configuration runs this program or has this URL. */
  readonly kept: readonly ({ readonly name: string; readonly isDifferent: boolean } & ImportOrigin)[];
  readonly skipped: readonly (SkippedServer & ImportOrigin)[];
  readonly problems: FoundServers['problems'];
}

/** The configuration that receives the servers. */
export interface ImportTarget {
  /** The names of its servers. */
  readonly names: readonly string[];
  /** The entries of its servers. Without them, servers of the same name count as the same. */
  readonly entries?: JsonObject;
  readonly builtinName: string;
  readonly directory: string;
}

/** Names the found servers, and omits those that the configuration already has. */
export function planImport(found: FoundServers, target: ImportTarget, project: string): ImportPlan {
  const taken = new Map<string, PlannedServer>();
  // The name that each server would have if it were not taken.
  const preferredNames = new Map<string, string>();
  const kept: ImportPlan['kept'][number][] = [];
  const skipped = [...found.skipped];
  const seen = new Map<string, string>();
  for (const server of found.servers) {
    const { client, file, line } = server;
    const origin: ImportOrigin = { client: { id: client.id, title: client.title }, file };
    const key = JSON.stringify([client.id, server.name]);
    const precedingFile = seen.get(key);
    seen.set(key, precedingFile ?? file);
    const wanted = fittingName(server.name);
    const entry = withProjectDirectory(server, target, project);
    const permissions = permissionsOf(server, found);
    const same = [...taken.values()].find(
      (each) => preferredNames.get(each.name) === wanted && isDeepStrictEqual(each.entry, entry),
    );
    if (target.names.includes(wanted))
      kept.push({ name: wanted, isDifferent: isDifferent(entry, target.entries), ...origin });
    else if (same !== undefined) {
      const all = [...same.permissions, ...permissions];
      taken.set(same.name, { ...same, origins: [...same.origins, origin], permissions: all });
    } else if (precedingFile !== undefined)
      skipped.push({ name: server.name, line, ...origin, reason: `${client.title} uses the one of ${precedingFile}` });
    else {
      const name = freeName(wanted, client.id, (each) => isTaken(each, taken, target));
      preferredNames.set(name, wanted);
      const renamed = name === server.name ? [] : [`"${server.name}" is called "${name}" here`];
      taken.set(name, { name, entry, origins: [origin], notes: [...renamed, ...server.notes], permissions });
    }
  }
  const permitted = [...taken.values()].map((each) => ({
    ...each,
    entry: withoutForbidden(each.entry, each.permissions),
  }));
  return { taken: permitted, kept, skipped, problems: found.problems };
}

/** Returns whether no configured server runs the program, or has the URL, of an imported one. */
function isDifferent({ command, args, url }: ImportedEntry, own: JsonObject | undefined): boolean {
  // The name of a stored secret may differ from the one that this import would give it.
  const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts).replaceAll(/\$\{secret:[^}]*\}/g, '');
  const key = keyOf(command, args ?? [], url);
  return (
    own !== undefined &&
    !Object.values(own).some(
      (each) => isJsonObject(each) && keyOf(each['command'], each['args'] ?? [], each['url']) === key,
    )
  );
}

/** Returns all permissions that a client has for the tools of a server. */
function permissionsOf(server: ClientServer & ImportOrigin, { permissions = [] }: FoundServers): ImportedPermission[] {
  const { title: client, id } = server.client;
  // The form in which Claude Code writes server names in tool names.
  const prefix = `mcp__${server.name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  const named = permissions
    .filter((each) => each.client.id === id)
    .flatMap(({ name, answer }): ToolPermission[] => {
      if (name === prefix) return [{ tool: '*', answer }];
      return name.startsWith(`${prefix}__`) ? [{ tool: name.slice(prefix.length + 2), answer }] : [];
    });
  return [...(server.permissions ?? []), ...named].map((permission) => ({ ...permission, client }));
}

/** Hides the tools that a client forbids, or disables the server if it forbids all of them. */
function withoutForbidden(entry: ImportedEntry, permissions: readonly ImportedPermission[]): ImportedEntry {
  const forbidden = permissions.filter(({ answer }) => answer === 'deny').map(({ tool }) => tool);
  if (forbidden.includes('*')) return { ...entry, disabled: true };
  if (forbidden.length === 0) return entry;
  return { ...entry, tools: { ...entry.tools, deny: [...new Set([...(entry.tools?.deny ?? []), ...forbidden])] } };
}

function isTaken(
  name: string,
  taken: ReadonlyMap<string, PlannedServer>,
  { names, builtinName }: ImportTarget,
): boolean {
  return taken.has(name) || names.includes(name) || name === builtinName;
}

function freeName(wanted: string, suffix: string, isInUse: (name: string) => boolean): string {
  if (!isInUse(wanted)) return wanted;
  let name = suffixedName(wanted, suffix);
  for (let count = 2; isInUse(name); count += 1) name = suffixedName(wanted, `${suffix}-${count}`);
  return name;
}

/** Sets the working directory of a project's server to the project's directory, which may differ from the configuration's. */
function withProjectDirectory(
  { entry, file }: ClientServer & ImportOrigin,
  { directory }: ImportTarget,
  project: string,
): ImportedEntry {
  const { command, cwd = '.' } = entry;
  const isProjectServer = directory !== project && file.startsWith(project + sep);
  return command === undefined || !isProjectServer || cwd.includes('${')
    ? entry
    : { ...entry, cwd: resolve(project, cwd) };
}

const maxNameLength = 44;

/** Converts a name to a valid server name. The result is deterministic. */
export function fittingName(name: string): string {
  if (name.length <= maxNameLength && /^_?[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^-+|[-_]+$/g, '');
  const whole = /[A-Za-z0-9]/.test(plain) ? plain : `server-${mark(name)}`;
  return whole.length <= maxNameLength ? whole : `${whole.slice(0, maxNameLength - 9)}-${mark(name)}`;
}

/** Appends a suffix to a name within the maximum length. */
export function suffixedName(name: string, suffix: string): string {
  return `${name.slice(0, maxNameLength - suffix.length - 1).replace(/[-_]+$/, '')}-${suffix}`;
}

function mark(name: string): string {
  return hash('sha256', name, 'hex').slice(0, 8);
}
