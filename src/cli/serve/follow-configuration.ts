import type { Configuration } from '../../config/configuration.ts';
import type { ConfiguredBox } from '../configured/configured-box.ts';
import { printable } from '../printable.ts';
import type { Printer } from '../terminal.ts';
import { FileWatch } from './file-watch.ts';

/** Applies the files of a configuration whenever they change, says what came of it, and has looked at afterwards what depends on it. Returns how to stop. */
export function followConfiguration(
  configured: ConfiguredBox,
  read: () => Configuration,
  errors: Printer,
  afterwards: () => Promise<void>,
): () => void {
  const watch = new FileWatch(() => void reload());
  const reload = async (): Promise<void> => {
    const { status, details } = await configured.reload(read);
    watch.watch(configured.files());
    if (status === 'applied') {
      const what = details.length === 0 ? 'it is as it was before the mistake' : details.join(', ');
      await errors.print(`configuration changed: ${printable(what)}\n`);
      await configured.ready();
      await afterwards();
    } else if (status === 'refused') {
      const lines = details.map((line) => `  ${printable(line)}\n`).join('');
      await errors.print(
        `${errors.colors.yellow('warning')}: the changed configuration is not used, what ran before runs on\n${lines}`,
      );
    }
  };
  watch.watch(configured.files());
  return () => watch.close();
}
