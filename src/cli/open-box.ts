import type { Configuration } from '../config/configuration.ts';
import { readLock } from '../config/lock/lock-file.ts';
import { secretVault } from '../config/secrets/sealed-files.ts';
import { createRedactor, shortestSecret } from '../journal/redaction.ts';
import { type Signalbox, type SignalboxOptions, createSignalbox } from '../signalbox.ts';
import { ConfiguredBox } from './configured/configured-box.ts';
import { fileVerdicts } from './configured/file-verdicts.ts';
import { assertKept } from './configured/secrets.ts';
import type { ReferenceContext } from './external-transport.ts';
import { offerConfiguration } from './configured/offer-configuration.ts';
import { oauthTokenStore } from './oauth-token-store.ts';
import { openStore } from './open-store.ts';

/** What a command adds to the configuration. Without `data` nothing is written: the journal is in memory. */
export type BoxOptions = Pick<SignalboxOptions, 'data' | 'approve' | 'metrics'> & {
  /** The data directory that secrets are read from. */
  readonly secretsFrom: string;
  readonly port?: number;
  /** How long to wait for external servers (10 s); what is not up by then comes into the catalog when it is. */
  readonly waitMs?: number;
  /** Looks at the schemas of external tools at once, to tell of those that cannot be used. */
  readonly checkSchemas?: boolean;
};

const usualWaitMs = 10_000;

/** Opens a box as the configuration describes it. Refuses to run with a secret that would end up in the record. */
export async function openBox(configuration: Configuration, options: BoxOptions): Promise<Signalbox> {
  return (await openConfiguredBox(configuration, options)).box;
}

/** Opens a box that can follow its configuration. Refuses like `openBox`. */
export async function openConfiguredBox(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  const opened = await openBoxAnyway(configuration, options);
  try {
    assertKept(opened.secretProblems);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Opens a box, and tells what is wrong with its secrets instead of failing. */
export async function openBoxAnyway(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  const { port, waitMs = usualWaitMs, checkSchemas = false, secretsFrom, ...rest } = options;
  // A lock that cannot be used is told before anything is opened.
  readLock(configuration.directory);
  const opened = rest.data === undefined ? undefined : await openStore(configuration.store, rest.data);
  const box = await createSignalbox({
    ...rest,
    ...(opened === undefined ? {} : { store: opened.store }),
    results: configuration.results,
    undo: configuration.undo,
    approvals: configuration.approvals,
    profiles: configuration.profiles,
    builtin: { name: configuration.builtinName, ...(port === undefined ? {} : { port }) },
  });
  if (opened !== undefined && opened.password.length >= shortestSecret) box.addSecret('store', opened.password);
  const configured = new ConfiguredBox(box, configuration, {
    references: referencesOf(box, configuration, secretsFrom),
    vault: secretVault({ data: secretsFrom }),
    checkSchemas,
    verdicts: rest.data === undefined ? undefined : fileVerdicts(rest.data),
  });
  try {
    offerConfiguration(configured, secretsFrom);
    await configured.begin();
    await within(waitMs, configured.ready());
    return configured;
  } catch (error) {
    await configured.close();
    throw error;
  }
}

function referencesOf(box: Signalbox, { directory, file }: Configuration, secretsFrom: string): ReferenceContext {
  // What is told about servers goes to people and agents, not only into the record.
  const redactor = createRedactor();
  return {
    directory,
    file,
    vault: secretVault({ data: secretsFrom }),
    tokens: oauthTokenStore(secretsFrom),
    addSecret(name, value) {
      box.addSecret(name, value);
      redactor.add(name, value);
    },
    redact: (text) => redactor.values(text),
  };
}

/** Waits for a promise, but not longer than this. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
