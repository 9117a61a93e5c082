import { type SecretOptions, createRedactor } from '../../redaction/redactor.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';

type Taker = Pick<InternalSignalbox, 'secrets'>;

/** Values that must never be recorded, or told: also those that are known before the box that they are kept out of. */
export class BoxSecrets {
  readonly #redactor = createRedactor();
  readonly #early: (readonly [name: string, value: string, options: SecretOptions | undefined])[] = [];
  #box: Taker | undefined;

  /** Registers a value. Throws when it cannot be kept out of the record. */
  add(name: string, value: string, options?: SecretOptions): void {
    this.#redactor.add(name, value, options);
    if (this.#box === undefined) this.#early.push([name, value, options]);
    else this.#box.secrets.add(name, value, options);
  }

  /** Tells a box, before anything is recorded in it: all that are known, and all to come. */
  attach(box: Taker): void {
    this.#box = box;
    for (const early of this.#early.splice(0)) box.secrets.add(...early);
  }

  /** Takes them out of a text. */
  redact(text: string): string {
    return this.#redactor.values(text);
  }
}
