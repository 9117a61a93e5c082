import type { Source } from '../catalog/source.ts';
import { configuredServer } from '../catalog/transforms/configured-server.ts';
import type { Configuration, ServerEntry } from '../config/configuration.ts';
import { SignalboxError, messageOf } from '../model/errors.ts';
import { type Signalbox, type SignalboxOptions, createSignalbox } from '../signalbox.ts';
import { downServer } from './down-server.ts';
import { loadLocalServer } from './load-local-server.ts';
import { offerOwnPackage } from './own-package.ts';

/** What a command adds to the configuration. Without `data` nothing is written: the journal is in memory. */
export type BoxOptions = Pick<SignalboxOptions, 'data' | 'approve' | 'metrics'> & { readonly port?: number };

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
}

/** Opens a box as the configuration describes it. Refuses to run with a secret that would end up in the record. */
export async function openBox(configuration: Configuration, options: BoxOptions = {}): Promise<Signalbox> {
  const { box, secretProblems } = await openBoxAnyway(configuration, options);
  const invalid = secretProblems.find((problem) => problem.kind === 'invalid');
  if (invalid === undefined) return box;
  await box.close();
  throw new SignalboxError('secret-invalid', invalid.message);
}

/** Opens a box, and tells what is wrong with its secrets instead of failing. */
export async function openBoxAnyway(configuration: Configuration, options: BoxOptions = {}): Promise<OpenedBox> {
  const { port, ...rest } = options;
  const box = await createSignalbox({
    ...rest,
    results: configuration.results,
    builtin: { name: configuration.builtinName, ...(port === undefined ? {} : { port }) },
  });
  try {
    // Before the servers come: the reason why one is down may hold a secret, and it is recorded.
    const secretProblems = addSecrets(box, configuration.secrets);
    offerOwnPackage();
    const servers = await Promise.all(configuration.servers.map(startServer));
    for (const server of servers) mount(box, server);
    for (const entry of configuration.servers) if (entry.disabled) box.disable(entry.name);
    return { box, secretProblems };
  } catch (error) {
    await box.close();
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

async function startServer(entry: ServerEntry): Promise<Source> {
  if (entry.kind === 'local') return configuredServer(await loadLocalServer(entry), entry.tools);
  return downServer(entry.name, `mcp:${entry.name}`, 'this version of Signalbox cannot connect to MCP servers yet');
}

/** One bad server never hides the others: what the catalog refuses is shown as down. */
function mount(box: Signalbox, server: Source): void {
  try {
    box.mount(server);
  } catch (error) {
    box.mount(downServer(server.server, server.adapter, messageOf(error)));
  }
}
