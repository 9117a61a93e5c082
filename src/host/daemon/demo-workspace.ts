import { join } from 'node:path';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { demoServer, prepareDemo } from '../../sources/local/demo/demo-server.ts';

/** Mounts the demo server, so that a new user without a configuration has a tool of each kind. Returns a function that unmounts it. */
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
