import type { Configuration } from '../../config/configuration.ts';
import type { Signalbox, SignalboxOptions } from '../../signalbox.ts';
import { type BeginOptions, type BegunBox, beginBox } from './start-servers.ts';
import type { ConfiguredBox } from './configured-box.ts';

/** What a command adds to the configuration. */
export interface BoxOptions extends BeginOptions, Pick<SignalboxOptions, 'approve'> {
  /** How long to wait for external servers while none comes up (10 s). Servers that take longer join the catalog when they are up. */
  readonly waitMs?: number;
}

const usualWaitMs = 10_000;

/** Opens a box as the configuration describes it. Refuses to run with a secret that would end up in the record. */
export async function openBox(configuration: Configuration, options: BoxOptions): Promise<Signalbox> {
  return (await openConfiguredBox(configuration, options)).box;
}

/** Opens a box that can follow its configuration. Refuses like `openBox`. */
export async function openConfiguredBox(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  return await opened(await beginBox(configuration, options), options);
}

/** Opens a box, and tells what is wrong with its secrets instead of failing. */
export async function openBoxAnyway(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  return await opened(await beginBox(configuration, options, () => undefined), options);
}

async function opened(begun: BegunBox, { approve, waitMs = usualWaitMs }: BoxOptions): Promise<ConfiguredBox> {
  try {
    begun.startAll();
    const configured = await begun.open(approve === undefined ? {} : { approve });
    await awaitFirstStarts(configured, waitMs);
    return configured;
  } catch (error) {
    await begun.close();
    throw error;
  }
}

/** Waits until every server was tried once, or until no server has changed for `patienceMs`. */
async function awaitFirstStarts(configured: ConfiguredBox, patienceMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  const stop = configured.box.on('CatalogChanged', () => timer.refresh());
  await Promise.race([configured.ready(), late]);
  stop();
  clearTimeout(timer);
}
