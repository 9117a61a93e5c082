import { SignalboxError } from '../../core/errors.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { Capability } from './capabilities.ts';
import type { AcceptedCapability } from './trust-records.ts';

/** The changes that have to be accepted before a configuration may be used. */
export interface PendingTrust {
  readonly file: string;
  /** Whether something of the configuration was accepted before. */
  readonly isKnown: boolean;
  /** The capabilities that were not accepted; for an unknown configuration, also the rules that restrict calls. */
  readonly added: readonly Capability[];
  /** The limits that were accepted and are gone. */
  readonly lifted: readonly AcceptedCapability[];
}

/** A configuration that nobody accepted on this machine, or not all of it. */
export class UntrustedConfigurationError extends SignalboxError {
  readonly pending: PendingTrust;
  /** The data directory that an acceptance is stored in. */
  readonly data: string;
  /** Accepts the configuration as it was read for this error, whatever the file has become since. */
  readonly accept: () => Promise<void>;

  constructor(pending: PendingTrust, { data, accept }: Pick<UntrustedConfigurationError, 'data' | 'accept'>) {
    const { file, isKnown, added, lifted } = pending;
    const what = isKnown
      ? `has ${pluralize(added.length + lifted.length, 'change')} that nobody accepted on this machine`
      : 'was not accepted on this machine';
    super('configuration-untrusted', `${file} ${what}`);
    this.pending = pending;
    this.data = data;
    this.accept = accept;
  }

  /** Returns what has to be accepted without its values: the lines go into logs and records. */
  details(): string[] {
    const { file, added, lifted } = this.pending;
    const places = [...new Set([...added, ...lifted].map(({ place }) => place))];
    return [
      `${this.message}; run signalbox trust ${file} --data ${this.data}`,
      ...places.map((place) => `not accepted: ${place}`),
    ];
  }
}
