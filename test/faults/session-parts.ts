import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import { runtimeTools } from '../../src/runtimes/runtime-tools.ts';
import type { Turn, TurnEvent } from '../../src/runtimes/runtime.ts';
import { createSessions } from '../../src/sessions/create-sessions.ts';
import type { Sessions } from '../../src/sessions/sessions.ts';
import { storeAt } from './store-at.ts';

/** Opens sessions on a file, or in the database at an address, with one scripted agent. */
export async function openSessions(
  data: string,
  script: (content: string, turn: Turn) => AsyncIterable<TurnEvent>,
  address = '',
): Promise<{ readonly box: InternalSignalbox; readonly sessions: Sessions }> {
  const own = runtimeTools('runtime');
  const box = await openSignalbox({ data, store: await storeAt(address, data), servers: [own] });
  const runtime = {
    name: 'scripted',
    turn: (turn: Turn) => script(turn.content, turn),
    close: () => Promise.resolve(),
  };
  const agents = { defaultName: 'agent', list: () => [{ name: 'agent', runtime, runtimeTools: own }] };
  return { box, sessions: await createSessions({ box, agents, cwd: data }) };
}
