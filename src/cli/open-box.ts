import { lockSource } from '../catalog/lock/lock-source.ts';
import type { Source } from '../catalog/source.ts';
import { configuredServer } from '../catalog/transforms/configured-server.ts';
import type { Configuration, ExternalEntry } from '../config/configuration.ts';
import { secretVault } from '../config/secrets/sealed-files.ts';
import { createRedactor } from '../journal/redaction.ts';
import { SignalboxError, messageOf } from '../model/errors.ts';
import { type Signalbox, type SignalboxOptions, createSignalbox } from '../signalbox.ts';
import type { McpServer } from '../sources/mcp/mcp-server.ts';
import { downServer } from './down-server.ts';
import { type ReferenceContext, externalTransport } from './external-transport.ts';
import { loadLocalServer } from './load-local-server.ts';
import { readLock } from './lock/lock-file.ts';
import { oauthTokenStore } from './oauth-token-store.ts';
import { offerOwnPackage } from './own-package.ts';

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

/** A secret of the configuration that is not kept out of the record, and why. */
export interface SecretProblem {
  readonly name: string;
  readonly kind: 'missing' | 'invalid';
  readonly message: string;
}

/** A box as the configuration describes it. */
export interface OpenedBox {
  readonly box: Signalbox;
  readonly secretProblems: readonly SecretProblem[];
  readonly externalServers: readonly McpServer[];
  /** The started servers of the configuration as they are, before lock and configuration change what they offer. */
  readonly sources: readonly Source[];
}

const usualWaitMs = 10_000;

/** Opens a box as the configuration describes it. Refuses to run with a secret that would end up in the record. */
export async function openBox(configuration: Configuration, options: BoxOptions): Promise<Signalbox> {
  const { box, secretProblems } = await openBoxAnyway(configuration, options);
  const invalid = secretProblems.find((problem) => problem.kind === 'invalid');
  if (invalid === undefined) return box;
  await box.close();
  throw new SignalboxError('secret-invalid', invalid.message);
}

/** Opens a box, and tells what is wrong with its secrets instead of failing. */
export async function openBoxAnyway(configuration: Configuration, options: BoxOptions): Promise<OpenedBox> {
  const { port, waitMs = usualWaitMs, checkSchemas = false, secretsFrom, ...rest } = options;
  const lock = readLock(configuration.directory);
  const sources: Source[] = [];
  const locked = (source: Source): Source => {
    sources.push(source);
    return lockSource(source, lock?.servers.get(source.server));
  };
  const box = await createSignalbox({
    ...rest,
    results: configuration.results,
    builtin: { name: configuration.builtinName, ...(port === undefined ? {} : { port }) },
  });
  const externalServers: McpServer[] = [];
  // What is told about servers goes to people and agents, not only into the record.
  const redactor = createRedactor();
  const references: ReferenceContext = {
    directory: configuration.directory,
    vault: secretVault({ data: secretsFrom }),
    tokens: oauthTokenStore(secretsFrom),
    addSecret(name, value) {
      box.addSecret(name, value);
      redactor.add(name, value);
    },
    redact: (text) => redactor.values(text),
  };
  try {
    // Before the servers come: the reason why one is down may hold a secret, and it is recorded.
    const secretProblems = addSecrets(box, configuration.secrets);
    offerOwnPackage();
    const servers = await Promise.all(
      configuration.servers.map(async (entry) => {
        if (entry.kind === 'local') return configuredServer(locked(await loadLocalServer(entry)), entry.tools);
        // What is disabled is not started.
        if (entry.disabled) return downServer(entry.name, `mcp:${entry.name}`, 'it was not started');
        const server = await startExternal(entry, references, checkSchemas);
        externalServers.push(server);
        return configuredServer(locked(server), entry.tools);
      }),
    );
    for (const server of servers) mount(box, server);
    for (const entry of configuration.servers) if (entry.disabled) box.disable(entry.name);
    await within(waitMs, Promise.all(externalServers.map((server) => server.ready())));
    return { box, secretProblems, externalServers, sources };
  } catch (error) {
    await Promise.allSettled([box.close(), ...externalServers.map((server) => server.close())]);
    throw error;
  }
}

function addSecrets(box: Signalbox, names: readonly string[]): SecretProblem[] {
  const problems: SecretProblem[] = [];
  for (const name of names) {
    const value = process.env[name];
    if (value === undefined || value === '') {
      problems.push({ name, kind: 'missing', message: `the environment variable ${name} is not set` });
      continue;
    }
    try {
      box.addSecret(name, value);
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error;
      problems.push({ name, kind: 'invalid', message: error.message });
    }
  }
  return problems;
}

async function startExternal(
  entry: ExternalEntry,
  references: ReferenceContext,
  checkSchemas: boolean,
): Promise<McpServer> {
  // Imported when it is needed: not every box has external servers.
  const { mcpServer } = await import('../sources/mcp/mcp-server.ts');
  return mcpServer({
    name: entry.name,
    transport: () => externalTransport(entry, references),
    redact: (text) => references.redact(text),
    ...entry.limits,
    checkSchemas,
  });
}

/** Waits for a promise, but not longer than this. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** One bad server never hides the others: what the catalog refuses is shown as down. */
function mount(box: Signalbox, server: Source): void {
  try {
    box.mount(server);
  } catch (error) {
    void server.close();
    box.mount(downServer(server.server, server.adapter, messageOf(error)));
  }
}
