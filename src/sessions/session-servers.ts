import type { CatalogSnapshot, ServerProvenance } from '../catalog/snapshot.ts';
import type { TurnEvent } from '../runtimes/runtime.ts';
import type { SessionServer } from './session-event.ts';

type RuntimeServers = NonNullable<Extract<TurnEvent, { type: 'status' }>['servers']>;

/** How Claude Code calls what we call otherwise. */
const runtimeWords: Readonly<Record<string, string>> = {
  connected: 'up',
  failed: 'down',
  pending: 'starting',
  'needs-auth': 'needs-sign-in',
};

/** How the servers are doing: those of the box, and those that the runtime alone knows (`passthrough`). */
export function sessionServers(
  { servers }: Pick<CatalogSnapshot, 'servers'>,
  known: RuntimeServers = [],
): readonly SessionServer[] {
  // Of a server that it reaches by itself, only the runtime knows how it is.
  const own = servers.filter(
    ({ name, adapter }) => !adapter.startsWith('passthrough:') || !known.some((each) => each.name === name),
  );
  const names = new Set(own.map(({ name }) => name));
  const beside = known.filter(({ name }) => !names.has(name));
  return [
    ...own.map(fromCatalog),
    ...beside.map(({ name, status, tools = 0, error }) => ({
      name,
      status: runtimeWords[status] ?? status,
      tools,
      ...(error === undefined ? {} : { error }),
    })),
  ];
}

function fromCatalog({ name, status, connecting, needsSignIn, reason, tools }: ServerProvenance): SessionServer {
  const isDown = status === 'down';
  return {
    name,
    status: isDown && connecting === true ? 'starting' : isDown && needsSignIn === true ? 'needs-sign-in' : status,
    tools,
    ...(reason === undefined ? {} : { error: reason }),
  };
}
