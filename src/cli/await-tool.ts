import { parseName } from '../catalog/names.ts';
import { namesOf } from '../core/tools/tool-names.ts';
import { raceAbort } from '../core/async/light-abort-signal.ts';
import type { ConfiguredBox } from '../host/box/configured-box.ts';
import { renderedName } from './resolve-tool.ts';

/** The first start of a server may have to fetch it. */
const longestWaitMs = 30_000;

/** Waits for the server that a tool belongs to; where its name does not say, until one has it or all were tried. Not for long. */
export async function awaitTool(configured: ConfiguredBox, given: string, signal: AbortSignal): Promise<void> {
  const named = parseName(renderedName(given) ?? '')?.server;
  // A name of no server is mistyped: what it may have meant is known when all were looked at.
  const server = configured.box.catalog().servers.find(({ name }) => name === named)?.name;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)]);
  const enough =
    server === undefined ? found(configured, given) : { is: configured.ready(server), stop: () => undefined };
  try {
    await raceAbort(() => enough.is, patience);
  } catch (error) {
    // The call itself tells that the tool is not there, or that it was cancelled.
    if (!patience.aborted) throw error;
  } finally {
    enough.stop();
  }
}

function found(configured: ConfiguredBox, given: string): { is: Promise<void>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (): void => {
    if (configured.box.tools().some((tool) => namesOf(tool).bare.includes(given))) resolve();
  };
  const stop = configured.box.on('CatalogChanged', look);
  look();
  return { is: Promise.race([promise, configured.ready()]), stop };
}
