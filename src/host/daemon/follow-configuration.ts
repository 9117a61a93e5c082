import type { Configuration } from '../../config/configuration.ts';
import { configurationFiles } from '../../config/file/configuration-files.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';
import type { HostLog } from '../host-log.ts';
import type { FileWatch } from './file-watch.ts';

/**
 * Applies changes of the configuration files and of tool modules, and logs the result. Calls `onApplied` after a change was applied
 * and the first start of its servers has ended. Returns a function that stops following.
 */
export function followConfiguration(
  watch: FileWatch,
  configured: ConfiguredBox,
  read: () => Configuration,
  log: HostLog,
  onApplied: () => Promise<void> = () => Promise.resolve(),
): () => void {
  let files: readonly string[] = watch.files;
  const follow = (): void => watch.watch([...new Set([...files, configured.trustFile, ...configured.moduleFiles()])]);
  follow();
  watch.start(async (changed) => {
    const { status, details } = await configured.reload(() => {
      const configuration = read();
      files = configurationFiles(configuration);
      // Watched before the other files are read, so that the correction of an invalid file is detected.
      follow();
      return configuration;
    }, changed);
    follow();
    if (status === 'applied') {
      log.info(`configuration changed: ${details.length === 0 ? 'it is valid again' : details.join(', ')}`);
      await configured.ready();
      await onApplied();
    } else if (status === 'refused') {
      const lines = details.map((line) => `\n  ${line}`).join('');
      log.warn(`the changed configuration is not used; the running configuration stays${lines}`);
    }
  });
  return () => watch.close();
}
