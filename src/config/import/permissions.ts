import type { FoundServers, Origin } from './find-servers.ts';
import type { FoundServer, ImportedEntry, Permission } from './found-server.ts';

/** A permission of an imported server, and its client. */
export interface ImportedPermission extends Permission {
  /** The title of the client. */
  readonly client: string;
}

/** Returns all permissions that a client has for the tools of a server. */
export function permissionsOf(server: FoundServer & Origin, { permissions = [] }: FoundServers): ImportedPermission[] {
  const { title: client, id } = server.client;
  // The form in which Claude Code writes server names in tool names.
  const prefix = `mcp__${server.name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`;
  const elsewhere = permissions
    .filter((each) => each.client.id === id)
    .flatMap(({ name, answer }): Permission[] => {
      if (name === prefix) return [{ tool: '*', answer }];
      return name.startsWith(`${prefix}__`) ? [{ tool: name.slice(prefix.length + 2), answer }] : [];
    });
  return [...(server.permissions ?? []), ...elsewhere].map((permission) => ({ ...permission, client }));
}

/** Hides the tools that a client forbids, or disables the server if it forbids all of them. */
export function withoutForbidden(entry: ImportedEntry, permissions: readonly ImportedPermission[]): ImportedEntry {
  const forbidden = permissions.filter(({ answer }) => answer === 'deny').map(({ tool }) => tool);
  if (forbidden.includes('*')) return { ...entry, disabled: true };
  if (forbidden.length === 0) return entry;
  return { ...entry, tools: { ...entry.tools, deny: [...new Set([...(entry.tools?.deny ?? []), ...forbidden])] } };
}
