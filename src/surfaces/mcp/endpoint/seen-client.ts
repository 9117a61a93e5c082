import { normalizeName } from '../../../core/normalize-name.ts';
import { type JsonValue, isJsonObject } from '../../../core/json.ts';

/** What a client calls itself; empty where it does not say. */
export interface ClientName {
  readonly name: string;
  readonly version: string;
}

/** A client of this endpoint that was heard of not long ago. Times are milliseconds since 1970. */
export interface SeenClient extends ClientName {
  /** The revision of the protocol it speaks. */
  readonly protocolVersion: string;
  readonly principal: string;
  readonly profile: string | undefined;
  /** What its calls are recorded under. */
  readonly session: string;
  readonly since: number;
  readonly seen: number;
  /** Whether something of it is open now: a request, or a stream that it listens to. */
  readonly isInUse: boolean;
}

/** Clients choose what they say of themselves. */
export function clientName(info: JsonValue | undefined): ClientName {
  const { name, version } = isJsonObject(info) ? info : {};
  return { name: nameIn(name), version: nameIn(version) };
}

function nameIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? normalizeName(value) : '';
}
