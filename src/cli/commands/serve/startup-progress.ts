import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import type { Printer } from '../../terminal/terminal.ts';

/** Shows the progress of the servers that were still starting when the banner was printed, then a summary of all servers. */
export class StartupProgress {
  readonly #line: ProgressLine;
  readonly #errors: Printer;

  constructor(errors: Printer) {
    this.#errors = errors;
    this.#line = new ProgressLine(errors);
  }

  /** The same printer, but it clears the progress line before it prints. */
  get errors(): Printer {
    const [errors, line] = [this.#errors, this.#line];
    const print: Printer['print'] = (text) => {
      line.clear();
      return errors.print(text);
    };
    // Inherits the other properties, because the width changes with the terminal.
    return Object.assign(Object.create(errors) as Printer, { print });
  }

  /** Follows the servers until each was tried once. Returns a function that stops following. */
  follow(box: InternalSignalbox): () => void {
    const { servers } = box.catalog();
    if (startingIn(box.catalog()) === 0) return () => undefined;
    // As in the banner, the count includes the servers that are up already.
    const total = servers.filter(({ status, connecting }) => status === 'up' || connecting === true).length;
    const begun = performance.now();
    let stop: () => void = () => undefined;
    const show = (snapshot: CatalogSnapshot): void => {
      const left = startingIn(snapshot);
      if (left > 0) {
        this.#line.show({ progress: Math.max(0, total - left), total, message: 'servers started' });
        return;
      }
      stop();
      this.#line.clear();
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      void this.#errors.print(`${summary(snapshot)} after ${seconds} s\n`);
    };
    stop = box.on('CatalogChanged', show);
    show(box.catalog());
    return () => {
      stop();
      this.#line.clear();
    };
  }
}

function startingIn({ servers }: CatalogSnapshot): number {
  return servers.filter(({ connecting }) => connecting === true).length;
}

function summary({ servers, tools }: CatalogSnapshot): string {
  const up = servers.filter(({ status }) => status === 'up').length;
  const down = servers.filter(({ status }) => status === 'down').length;
  return `servers: ${up} up${down === 0 ? '' : `, ${down} down`} · ${pluralize(tools.length, 'tool')}`;
}
