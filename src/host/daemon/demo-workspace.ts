import { join } from 'node:path';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { demoServer, prepareDemo } from '../../sources/local/demo/demo-server.ts';

/** Mounts the demo workspace: where nothing is configured, a newcomer has one tool of each kind. Returns how to take it out. */
export async function mountDemo(box: InternalSignalbox, data: string): Promise<() => void> {
  const directory = join(data, 'demo');
  await prepareDemo(directory);
  const server = demoServer(directory);
  box.servers.add(server);
  let isMounted = true;
  return () => {
    if (isMounted) void box.servers.remove(server.server);
    isMounted = false;
  };
}
