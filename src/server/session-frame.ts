import type { SessionEvent } from '../sessions/session-event.ts';
import { frameOf } from './sse.ts';

/** An event of a session in a stream of that session. */
export function sessionFrame(event: SessionEvent): string {
  return frameOf({ id: event.seq, event: event.type, data: event });
}
