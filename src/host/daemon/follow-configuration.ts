import { printable } from '../../cli/printable.ts';
import type { Printer } from '../../cli/terminal.ts';
import type { Configuration } from '../../config/configuration.ts';
import { configurationFiles } from '../../config/file/find-configuration.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';
import type { FileWatch } from './file-watch.ts';

/**
 * Applies changes of the configuration files and of its tool modules, prints the result, and then calls back so that the caller can
 * check what depends on them. Returns a function that stops following.
 */
export function followConfiguration(
  watch: FileWatch,
  configured: ConfiguredBox,
  read: () => Configuration,
  errors: Printer,
  afterwards: () => Promise<void>,
): () => void {
  let files: readonly string[] = watch.files;
  const follow = (): void => watch.watch([...new Set([...files, configured.trustFile, ...configured.moduleFiles()])]);
  follow();
  watch.start(async (changed) => {
    const { status, details } = await configured.reload(() => {
      const configuration = read();
      files = configurationFiles(configuration);
      // Before the other files are read, and also when one of them is wrong: what mends it is a change of that one.
      follow();
      return configuration;
    }, changed);
    follow();
    if (status === 'applied') {
      const what = details.length === 0 ? 'it is as it was before the mistake' : details.join(', ');
      await errors.print(`configuration changed: ${printable(what)}\n`);
      await configured.ready();
      await afterwards();
    } else if (status === 'refused') {
      const lines = details.map((line) => `  ${printable(line)}\n`).join('');
      await errors.print(
        `${errors.colors.yellow('warning')}: the changed configuration is not used; the running configuration stays\n${lines}`,
      );
    }
  });
  return () => watch.close();
}
