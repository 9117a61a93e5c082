import type { Configuration } from '../../config/configuration.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { SignalboxOptions } from '../../signalbox/signalbox-options.ts';
import type { ConfiguredBox } from './configured-box.ts';
import { type PendingBox, type StartOptions, startConfiguredServers } from './start-servers.ts';

/** Options of `openBox`. */
export interface BoxOptions extends StartOptions, Pick<SignalboxOptions, 'approve'> {
  /** The time to wait for external servers while none comes up (10 s). Slower servers join the catalog when they are up. */
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;

/** Opens the box of a configuration. Rejects when a secret cannot be redacted. */
export async function openBox(configuration: Configuration, options: BoxOptions): Promise<InternalSignalbox> {
  return (await openConfiguredBox(configuration, options)).box;
}

/** Opens a box that can follow changes of its configuration. Rejects like `openBox`. */
export async function openConfiguredBox(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  return await openPending(await startConfiguredServers(configuration, options), options);
}

/** Opens a box even if secrets have problems, which it reports as `secretProblems`. */
export async function openBoxForDiagnosis(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  return await openPending(await startConfiguredServers(configuration, options, () => undefined), options);
}

async function openPending(
  pending: PendingBox,
  { approve, waitMs = defaultWaitMs }: BoxOptions,
): Promise<ConfiguredBox> {
  try {
    pending.startAll();
    const configured = await pending.open(approve === undefined ? {} : { approve });
    await awaitFirstStarts(configured, waitMs);
    return configured;
  } catch (error) {
    await pending.close();
    throw error;
  }
}

/** Waits until the first start of every server has ended, or until no server has changed for `waitMs`. */
async function awaitFirstStarts(configured: ConfiguredBox, waitMs: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  const stop = configured.box.on('CatalogChanged', () => timer.refresh());
  await Promise.race([configured.ready(), timeout]);
  stop();
  clearTimeout(timer);
}
