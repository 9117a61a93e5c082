import { OutcomeUnknown } from '../../model/outcome-unknown.ts';
import { ServerUnreached } from '../../model/server-unreached.ts';
import { ConnectionLost } from './connection-errors.ts';
import type { Connection } from './connection.ts';
import type { Supervisor } from './supervisor.ts';

/** What is asked of a server, for its errors. */
export interface Asked {
  readonly server: string;
  readonly what: string;
  readonly signal: AbortSignal;
}

/** Asks something of a server. What certainly did not get there is asked a second time, anything else never. */
export async function onConnection<Answer>(
  supervisor: Supervisor,
  asked: Asked,
  ask: (connection: Connection) => Promise<Answer>,
): Promise<Answer> {
  supervisor.callBegins();
  try {
    for (let isFirst = true; ; isFirst = false) {
      const connection = supervisor.connection ?? (await supervisor.connected(asked.signal));
      try {
        return await ask(connection);
      } catch (error) {
        await afterLoss(connection, asked, error, isFirst);
      }
    }
  } finally {
    supervisor.callEnds();
  }
}

/** Throws on, unless it may be asked once more. */
async function afterLoss(
  connection: Connection,
  { server, what, signal }: Asked,
  error: unknown,
  isFirst: boolean,
): Promise<void> {
  // A server that lets a call run out of time may hang altogether.
  if (signal.aborted && isTimeout(signal)) void connection.check();
  if (signal.aborted || !(error instanceof ConnectionLost)) throw error;
  if (error.sent)
    throw new OutcomeUnknown(`the connection to server "${server}" broke while ${what} ran: ${error.message}`, {
      cause: error,
    });
  if (!isFirst)
    throw new ServerUnreached(`server "${server}" could not be reached: ${error.message}; nothing was run`, {
      cause: error,
    });
  await connection.check();
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
