import type { Progress } from '../../../core/call.ts';
import type { CallClient } from '../../../core/client.ts';
import type { Principal } from '../../../core/principal.ts';
import type { StopSignal } from '../../../core/stop.ts';
import type { ClientName } from './seen-client.ts';
import type { Shown, View } from './view.ts';

/** Who is at the other end. */
export interface Peer {
  /** Whoever holds the token may be a person; what comes over MCP is an agent’s doing. */
  readonly principal: Principal;
  readonly view: View;
  /** Returns the principal of a client by the name it gave, where one connection may serve clients of several names. */
  readonly principalOf?: ((client: ClientName) => Principal) | undefined;
}

/** Whoever waits for the answer to one request. */
export interface Caller extends Peer {
  readonly isModern: boolean;
  /** The session that its calls belong to. */
  readonly session: string;
  readonly signal: StopSignal;
  readonly client: CallClient;
  /** What the client was shown last, where that is known. */
  readonly shown?: Shown | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}
