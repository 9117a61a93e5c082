import type { ToolContext } from '../../model/context.ts';
import type { JsonObject } from '../../model/json.ts';
import { OutcomeUnknown } from '../../model/outcome-unknown.ts';
import { ServerUnreached } from '../../model/server-unreached.ts';
import { ConnectionLost } from './connection-errors.ts';
import type { Supervisor } from './supervisor.ts';

/** One call of a tool by the server's own name for it. */
export interface RemoteCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly context: ToolContext;
}

/** Hands a call to its server. A call that certainly did not get there is handed over a second time, others never. */
export async function callRemote(supervisor: Supervisor, server: string, call: RemoteCall): Promise<JsonObject> {
  supervisor.callBegins();
  try {
    return await handOver(supervisor, server, call);
  } finally {
    supervisor.callEnds();
  }
}

async function handOver(
  supervisor: Supervisor,
  server: string,
  { name, args, context }: RemoteCall,
): Promise<JsonObject> {
  const { signal } = context;
  const options = { signal, onProgress: context.progress.bind(context) };
  for (let isFirst = true; ; isFirst = false) {
    const connection = supervisor.connection ?? (await supervisor.connected(signal));
    try {
      return await connection.callTool(name, args, options);
    } catch (error) {
      // A server that lets a call run out of time may hang altogether.
      if (signal.aborted && isTimeout(signal)) void connection.check();
      if (signal.aborted || !(error instanceof ConnectionLost)) throw error;
      if (error.sent)
        throw new OutcomeUnknown(`the connection to server "${server}" broke while ${name} ran: ${error.message}`, {
          cause: error,
        });
      if (!isFirst)
        throw new ServerUnreached(`server "${server}" could not be reached: ${error.message}; nothing was run`, {
          cause: error,
        });
      await connection.check();
    }
  }
}

function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}
