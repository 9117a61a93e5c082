import { hash } from 'node:crypto';
import { resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FoundServers, Origin } from './find-servers.ts';
import type { FoundServer, ImportedEntry, SkippedServer } from './found-server.ts';
import { type ImportedPermission, permissionsOf, withoutForbidden } from './permissions.ts';

/** A server that is taken over, under the name it gets here. */
export interface PlannedServer {
  readonly name: string;
  readonly entry: ImportedEntry;
  /** Where it stands; more than once when clients agree. */
  readonly origins: readonly Origin[];
  readonly notes: readonly string[];
  /** What its clients say about its tools. */
  readonly permissions: readonly ImportedPermission[];
}

/** What an import would do. */
export interface ImportPlan {
  readonly taken: readonly PlannedServer[];
  /** Servers whose name the configuration has already. */
  readonly kept: readonly ({ readonly name: string } & Origin)[];
  readonly skipped: readonly (SkippedServer & Origin)[];
  readonly problems: FoundServers['problems'];
}

/** What the servers come into. */
export interface Target {
  /** The names of the servers that it has. */
  readonly names: readonly string[];
  readonly builtinName: string;
  readonly directory: string;
}

/** Gives every found server a name, and leaves out what is there already. */
export function planImport(found: FoundServers, target: Target, project: string): ImportPlan {
  const taken = new Map<string, PlannedServer>();
  // What each would be called if the name were free.
  const wishes = new Map<string, string>();
  const kept: ImportPlan['kept'][number][] = [];
  const skipped = [...found.skipped];
  const seen = new Map<string, string>();
  for (const server of found.servers) {
    const { client, file, line } = server;
    const origin: Origin = { client: { id: client.id, title: client.title }, file };
    const key = JSON.stringify([client.id, server.name]);
    const stronger = seen.get(key);
    seen.set(key, stronger ?? file);
    const wanted = fittingName(server.name);
    const entry = atHome(server, target, project);
    const permissions = permissionsOf(server, found);
    const same = [...taken.values()].find(
      (each) => wishes.get(each.name) === wanted && isDeepStrictEqual(each.entry, entry),
    );
    if (target.names.includes(wanted)) kept.push({ name: wanted, ...origin });
    else if (same !== undefined) {
      const all = [...same.permissions, ...permissions];
      taken.set(same.name, { ...same, origins: [...same.origins, origin], permissions: all });
    } else if (stronger !== undefined)
      skipped.push({ name: server.name, line, ...origin, reason: `${client.title} uses the one of ${stronger}` });
    else {
      const name = freeName(wanted, client.id, (each) => isTaken(each, taken, target));
      wishes.set(name, wanted);
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

function isTaken(name: string, taken: ReadonlyMap<string, PlannedServer>, { names, builtinName }: Target): boolean {
  return taken.has(name) || names.includes(name) || name === builtinName;
}

function freeName(wanted: string, suffix: string, isInUse: (name: string) => boolean): string {
  if (!isInUse(wanted)) return wanted;
  let name = suffixedName(wanted, suffix);
  for (let count = 2; isInUse(name); count += 1) name = suffixedName(wanted, `${suffix}-${count}`);
  return name;
}

/** A project's server starts in the project's directory, which may be another than the configuration's. */
function atHome({ entry, file }: FoundServer & Origin, { directory }: Target, project: string): ImportedEntry {
  const { command, cwd = '.' } = entry;
  const isElsewhere = directory !== project && file.startsWith(project + sep);
  return command === undefined || !isElsewhere || cwd.includes('${') ? entry : { ...entry, cwd: resolve(project, cwd) };
}

/** The longest name that a server can have. */
const longest = 44;

/** The nearest name that our rule allows; the same name always becomes the same. */
export function fittingName(name: string): string {
  if (name.length <= longest && /^_?[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(name)) return name;
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^-+|[-_]+$/g, '');
  const whole = /[A-Za-z0-9]/.test(plain) ? plain : `server-${mark(name)}`;
  return whole.length <= longest ? whole : `${whole.slice(0, longest - 9)}-${mark(name)}`;
}

/** The name with something behind it, and still not too long. */
export function suffixedName(name: string, suffix: string): string {
  return `${name.slice(0, longest - suffix.length - 1).replace(/[-_]+$/, '')}-${suffix}`;
}

function mark(name: string): string {
  return hash('sha256', name, 'hex').slice(0, 8);
}
