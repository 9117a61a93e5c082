import type { Configuration } from '../../config/configuration.ts';
import { EditsOfCalls } from '../../config/file/tool-call-edits.ts';
import { shortestSecret } from '../../journal/redaction.ts';
import { type SignalboxOptions, createSignalbox } from '../../signalbox.ts';
import { configurationTools } from '../../sources/local/builtin/configuration-tools.ts';
import type { BoxSecrets } from '../secrets/box-secrets.ts';
import { openStore } from '../store/open-store.ts';
import { memoryStoreWithPins, pinScope } from '../store/stored-pins.ts';
import { type Beginning, ConfiguredBox } from './configured-box.ts';
import { join } from 'node:path';

/** What a box is made with that servers outside need not wait for. */
export interface LateOptions extends Pick<SignalboxOptions, 'approve' | 'metrics'> {
  readonly port?: number;
}

interface Options extends LateOptions, Pick<SignalboxOptions, 'data'> {
  readonly secretsFrom: string;
}

/** Makes the box for what has begun. When it cannot be made, nothing of it is left; what has begun is the caller's to end. */
export async function makeBox(
  configuration: Configuration,
  { port, secretsFrom, ...options }: Options,
  begun: Beginning,
  secrets: BoxSecrets,
): Promise<ConfiguredBox> {
  const { data } = options;
  const opened =
    data === undefined
      ? { store: await memoryStoreWithPins(configuration, secretsFrom), password: '' }
      : await openStore(configuration.store, data);
  const box = await createSignalbox({
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
  // Before the servers come: the reason why one is down may hold a secret, and it is recorded.
  secrets.tell(box);
  if (opened.password.length >= shortestSecret) box.addSecret('store', opened.password);
  const configured = new ConfiguredBox(box, configuration, begun, secretsFrom);
  try {
    offerConfiguration(configured, secretsFrom);
    await configured.begin();
    return configured;
  } catch (error) {
    await configured.close();
    throw error;
  }
}

/** Adds the tools by which agents read the configuration and change what little of it is theirs to change. */
export function offerConfiguration(configured: ConfiguredBox, data: string): void {
  const { box } = configured;
  const edits = new EditsOfCalls(
    () => configured.file,
    join(data, 'configuration-edits'),
    (text) => box.redact(text),
    (before, after) => configured.acceptEdit(before, after),
  );
  for (const tool of configurationTools(edits)) box.builtin?.add(tool);
}
