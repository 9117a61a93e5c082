import type { Connection, ConnectionOptions } from './connection.ts';

/** Connects. The SDK is imported when the first server is: it takes longer to load than all of Signalbox. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { Connection: Opened } = await import('./connection.ts');
  return await Opened.open(options);
}
