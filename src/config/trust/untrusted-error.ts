import { homedir } from 'node:os';
import { join } from 'node:path';
import { SignalboxError } from '../../core/errors.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { Capability } from './capabilities.ts';
import type { AcceptedCapability } from './trust-records.ts';

/** The changes that have to be accepted before a configuration may be used. */
export interface PendingTrust {
  readonly file: string;
  /** Whether a part of the configuration was accepted before. */
  readonly isKnown: boolean;
  /** The capabilities that were not accepted; for an unknown configuration, also the rules that restrict calls. */
  readonly added: readonly Capability[];
  /** The accepted limits that were removed. */
  readonly lifted: readonly AcceptedCapability[];
}

/** The error for a configuration that was not accepted, or only partly accepted, on this machine. */
export class UntrustedConfigurationError extends SignalboxError {
  readonly pending: PendingTrust;
  /** The data directory in which acceptances are stored. */
  readonly data: string;
  /** Accepts the configuration as it was read for this error, even if the file has changed since. */
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

  /** Returns the changes to accept, without values, because the lines are logged and recorded. */
  details(): string[] {
    const { file, added, lifted } = this.pending;
    const places = [...new Set([...added, ...lifted].map(({ place }) => place))];
    const dataOption = this.data === join(homedir(), '.signalbox') ? '' : ` --data ${this.data}`;
    return [
      `${this.message}; run signalbox trust ${file}${dataOption}`,
      ...places.map((place) => `not accepted: ${place}`),
    ];
  }
}
