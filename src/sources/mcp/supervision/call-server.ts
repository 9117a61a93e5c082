import { OutcomeUnknownError, ServerUnreachableError } from '../../../core/tools/source-errors.ts';
import { type AbortSignalLike, toAbortSignal } from '../../../core/async/light-abort-signal.ts';
import { ConnectionLost } from '../connection/connection-errors.ts';
import type { Connection } from '../connection/connection.ts';
import type { Supervisor } from './supervisor.ts';

/** The request to a server, as errors describe it. */
export interface ServerCall {
  readonly server: string;
  readonly what: string;
  readonly signal: AbortSignalLike;
}

/** Runs a request on the connection of a server. Retries once, and only when the request certainly did not reach the server. */
export function callServer<Answer>(
  supervisor: Supervisor,
  asked: ServerCall,
  ask: (connection: Connection) => Promise<Answer>,
): Promise<Answer> {
  supervisor.callBegins();
  const { connection } = supervisor;
  const answer = connection === undefined ? whenConnected(supervisor, asked, ask) : ask(connection);
  return answer.then(
    (value) => {
      supervisor.callEnds();
      return value;
    },
    async (error: unknown) => {
      try {
        if (connection === undefined) throw error;
        await afterLoss(connection, asked, error, true);
        return await whenConnected(supervisor, asked, ask, false);
      } finally {
        supervisor.callEnds();
      }
    },
  );
}

/** Runs a request as soon as there is a connection. */
async function whenConnected<Answer>(
  supervisor: Supervisor,
  asked: ServerCall,
  ask: (connection: Connection) => Promise<Answer>,
  mayAskAgain = true,
): Promise<Answer> {
  for (let isFirst = mayAskAgain; ; isFirst = false) {
    const connection = supervisor.connection ?? (await supervisor.connected(toAbortSignal(asked.signal)));
    try {
      return await ask(connection);
    } catch (error) {
      await afterLoss(connection, asked, error, isFirst);
    }
  }
}

/** Rethrows the error, unless the request may be repeated. */
async function afterLoss(
  connection: Connection,
  { server, what, signal }: ServerCall,
  error: unknown,
  isFirst: boolean,
): Promise<void> {
  // A server on which a call timed out may not respond to anything.
  if (signal.aborted && isTimeout(signal)) void connection.check();
  if (signal.aborted || !(error instanceof ConnectionLost)) throw error;
  if (error.sent)
    throw new OutcomeUnknownError(`the connection to server "${server}" broke while ${what} ran: ${error.message}`, {
      cause: error,
    });
  if (!isFirst)
    throw new ServerUnreachableError(`server "${server}" could not be reached: ${error.message}; nothing was run`, {
      cause: error,
    });
  await connection.check();
}

function isTimeout({ reason }: AbortSignalLike): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
