import { type SecretOptions, createRedactor } from '../../redaction/redactor.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';

type SecretReceiver = Pick<InternalSignalbox, 'secrets'>;

/** Collects secret values before the box exists, and passes them and all later ones to the box. */
export class BoxSecrets {
  readonly #redactor = createRedactor();
  readonly #early: (readonly [name: string, value: string, options: SecretOptions | undefined])[] = [];
  #box: SecretReceiver | undefined;

  /** Registers a value. Throws when it cannot be redacted. */
  add(name: string, value: string, options?: SecretOptions): void {
    this.#redactor.add(name, value, options);
    if (this.#box === undefined) this.#early.push([name, value, options]);
    else this.#box.secrets.add(name, value, options);
  }

  /** Passes all known values, and all later ones, to the box. Call it before the box records anything. */
  attach(box: SecretReceiver): void {
    this.#box = box;
    for (const early of this.#early.splice(0)) box.secrets.add(...early);
  }

  /** Removes the values from a text. */
  redact(text: string): string {
    return this.#redactor.values(text);
  }
}
