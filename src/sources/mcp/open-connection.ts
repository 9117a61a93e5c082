import type { Connection, ConnectionOptions } from './connection.ts';
import { StdioTransport } from './stdio/stdio-transport.ts';

/** Connects. The SDK is imported when the first server is: it takes longer to load than all of Signalbox, and a program starts meanwhile. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { transport, lines, largestMessage } = options;
  const stdio = transport.type === 'stdio' ? new StdioTransport({ ...transport, lines, largestMessage }) : undefined;
  // Whoever shakes hands is told why it could not be started.
  stdio?.start().catch(() => undefined);
  try {
    const { Connection: Opened } = await import('./connection.ts');
    return await Opened.open({ ...options, stdio });
  } catch (error) {
    await stdio?.close();
    throw error;
  }
}
