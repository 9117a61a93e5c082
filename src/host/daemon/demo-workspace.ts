import { join } from 'node:path';
import type { Signalbox } from '../../signalbox.ts';
import { demoServer, prepareDemo } from '../../sources/local/demo/demo-server.ts';

/** Mounts the demo workspace: where nothing is configured, a newcomer has one tool of each kind. Returns how to take it out. */
export async function mountDemo(box: Signalbox, data: string): Promise<() => void> {
  const directory = join(data, 'demo');
  await prepareDemo(directory);
  const server = demoServer(directory);
  box.mount(server);
  let isMounted = true;
  return () => {
    if (isMounted) void box.unmount(server.server);
    isMounted = false;
  };
}
