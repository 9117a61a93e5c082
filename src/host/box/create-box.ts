import { join } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { ToolCallEdits } from '../../config/file/tool-call-edits.ts';
import { minSecretLength } from '../../redaction/redactor.ts';
import { openSignalbox } from '../../signalbox/create-signalbox.ts';
import type { SignalboxOptions } from '../../signalbox/signalbox-options.ts';
import { configurationTools } from '../../sources/local/builtin/configuration-tools.ts';
import type { BoxSecrets } from '../secrets/box-secrets.ts';
import { openStore } from '../store/open-store.ts';
import { memoryStoreWithPins, pinScope } from '../store/stored-pins.ts';
import { ConfiguredBox, type PreparedConfiguration } from './configured-box.ts';

/** Options of a box that do not affect its external servers. */
export interface CreateBoxOptions extends Pick<SignalboxOptions, 'approve' | 'metrics'> {
  readonly port?: number;
}

interface Options extends CreateBoxOptions, Pick<SignalboxOptions, 'data'> {
  readonly secretsFrom: string;
}

/** Creates the box of a prepared configuration. When it fails, it closes the box; the caller closes the started servers. */
export async function createBox(
  configuration: Configuration,
  { port, secretsFrom, ...options }: Options,
  prepared: PreparedConfiguration,
  secrets: BoxSecrets,
): Promise<ConfiguredBox> {
  const { data } = options;
  const opened =
    data === undefined
      ? { store: await memoryStoreWithPins(configuration, secretsFrom), password: '' }
      : await openStore(configuration.store, data);
  const box = await openSignalbox({
    ...options,
    store: opened.store,
    pinScope: pinScope(configuration),
    results: configuration.results,
    undo: configuration.undo,
    approvals: configuration.approvals,
    profiles: configuration.profiles,
    startup: { waitMs: configuration.startup.waitMs },
    builtin: { name: configuration.builtinName, ...(port === undefined ? {} : { port }) },
  });
  // Runs before servers are mounted, because the recorded reason why one is down may contain a secret.
  secrets.attach(box);
  if (opened.password.length >= minSecretLength) box.secrets.add('store', opened.password);
  const configured = new ConfiguredBox(box, configuration, prepared, secretsFrom);
  try {
    addConfigurationTools(configured, secretsFrom);
    await configured.mountServers();
    return configured;
  } catch (error) {
    await configured.close();
    throw error;
  }
}

/** Adds the tools with which agents read the configuration and change a few settings. */
function addConfigurationTools(configured: ConfiguredBox, data: string): void {
  const { box } = configured;
  const edits = new ToolCallEdits(
    () => configured.file,
    join(data, 'configuration-edits'),
    (text) => box.secrets.redact(text),
    (before, after) => configured.acceptEdit(before, after),
  );
  for (const tool of configurationTools(edits)) box.builtin?.add(tool);
}
