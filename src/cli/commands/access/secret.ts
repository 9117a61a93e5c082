import { locateConfiguration } from '../../../config/file/configuration-files.ts';
import { keyLocation } from '../../../config/secrets/key-ring.ts';
import { TrustRecords } from '../../../config/trust/trust-records.ts';
import { openVault } from '../../../host/secrets/open-vault.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { environment } from '../../../host/environment.ts';
import { minSecretLength } from '../../../redaction/redactor.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError, suggestion, usageError } from '../../cli-error.ts';
import { oneLine } from '../../terminal/escape.ts';
import { Table } from '../../terminal/table.ts';
import { type Terminal, printJson } from '../../terminal/terminal.ts';
import type { Command } from 'commander';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** `signalbox secret`: manages the values that configurations refer to as `${secret:NAME}`. */
export function addSecretCommand(program: Command, context: CommandContext): void {
  const secret = program
    .command('secret')
    .summary('store tokens and passwords outside the configuration')
    .description(
      'Stores secrets encrypted in the data directory. The configuration refers to them as ${secret:NAME}. Only the server that refers to a secret gets it, only in a configuration that may use it (granted by set and trust), and it is never recorded. The key is in the system keychain, or in a file where there is no keychain. SIGNALBOX_SECRETS=keychain or file chooses the place; SIGNALBOX_SECRET_KEY sets a key of your own.',
    );
  addSetCommand(secret, context);
  addListCommand(secret, context);
  addRemoveCommand(secret, context);
}

function addSetCommand(secret: Command, { terminal }: CommandContext): void {
  secret
    .command('set')
    .summary('store or replace a secret')
    .description(
      'Stores a secret, and grants it to the configuration of this directory (--config names another). On a terminal it asks for the value without showing it; otherwise it reads the value from standard input.',
    )
    .argument('<name>', 'letters, digits, "_", "-" and "."')
    .option('--from-env <variable>', 'read the value from an environment variable')
    // Rejected below, with the reason.
    .allowExcessArguments()
    .action(async (name: string, { fromEnv }: { readonly fromEnv?: string }, command: Command) => {
      const { data, json, config } = readGlobalOptions(command);
      if (command.args.length > 1)
        throw usageError(
          'a secret cannot be given on the command line: every process of this machine sees it, and the shell stores it in its history',
          `signalbox secret set ${name} asks for the value; or pipe it in`,
        );
      const { openTrust } = await import('../../../host/open-trust.ts');
      const vault = openVault(data);
      // Rejects an invalid name before the value is typed.
      const wasThere = await vault.has(name);
      const value = await readSecret(name, fromEnv, terminal);
      const { store } = await vault.set(name, value);
      const action = wasThere ? 'replaced' : 'added';
      const grantedTo = locateConfiguration(config);
      if (grantedTo !== undefined) openTrust(data).grantSecrets(grantedTo, [name]);
      if (json) return printJson(terminal.output, { name, store, action, grantedTo: grantedTo ?? null });
      const who = grantedTo === undefined ? 'no configuration' : shortPath(grantedTo);
      const also = grantedTo === undefined ? ' yet; a configuration that refers to it asks for trust' : '';
      await terminal.output.print(
        `${name} is ${action}, encrypted with the key in ${shortPath(keyLocation(store, data))}; ` +
          `${who} may use it as \${secret:${name}}${also}\n`,
      );
    });
}

function addListCommand(secret: Command, { terminal: { output } }: CommandContext): void {
  secret
    .command('list')
    .summary('list the names of stored secrets')
    .description(
      'Lists the stored secrets by name, with the place of each key (keychain, file or environment) and the configurations that may use it.',
    )
    .action(async (_options: object, command: Command) => {
      const { data, json } = readGlobalOptions(command);
      const records = new TrustRecords(data).list();
      const items = (await openVault(data).list()).map((stored) => ({
        ...stored,
        grantedTo: records.filter(({ secrets }) => secrets.includes(stored.name)).map(({ file }) => file),
      }));
      if (json) return printJson(output, { items });
      if (items.length === 0) return output.print('no secrets are stored; signalbox secret set NAME stores one\n');
      const paths = (files: readonly string[]): string => files.map((file) => oneLine(shortPath(file))).join(', ');
      const table = new Table<(typeof items)[number]>(
        [
          { heading: 'NAME', cell: ({ name }) => name },
          { heading: 'KEY IN', cell: ({ store }) => store },
          { heading: 'GRANTED TO', cell: ({ grantedTo }) => (grantedTo.length === 0 ? 'none' : paths(grantedTo)) },
        ],
        items,
        output,
      );
      return output.print(table.text());
    });
}

function addRemoveCommand(secret: Command, { terminal: { output } }: CommandContext): void {
  secret
    .command('remove')
    .summary('delete a secret')
    .description('Deletes a secret. Servers that use it keep the value until their next connection.')
    .argument('<name>', 'the name of the secret')
    .action(async (name: string, _options: object, command: Command) => {
      const { data, json } = readGlobalOptions(command);
      const vault = openVault(data);
      if (!(await vault.remove(name))) {
        const names = (await vault.list()).map((each) => each.name);
        const details = { ...suggestion(name, names), next: 'signalbox secret list' };
        throw new CliError(1, 'secret-unknown', `no secret is named "${name}"`, details);
      }
      // A secret that is stored under this name later is a different one, so the grants end here.
      new TrustRecords(data).forgetSecret(name);
      if (json) await printJson(output, { name, action: 'removed' });
      else await output.print(`${name} is removed\n`);
    });
}

/** Reads a value from an environment variable, from a prompt without echo, or from standard input without its last line break. */
async function readSecret(name: string, variable: string | undefined, terminal: Terminal): Promise<string> {
  const value = variable === undefined ? await promptForValue(name, terminal) : fromVariable(variable);
  if (value.length < minSecretLength)
    throw usageError(
      `the value is too short: only secrets with at least ${minSecretLength} characters can be redacted from the records`,
    );
  return value;
}

function fromVariable(variable: string): string {
  const value = environment[variable] ?? '';
  if (value === '') throw usageError(`the environment variable ${variable} is not set`);
  return value;
}

async function promptForValue(name: string, { input, errors, canAsk }: Terminal): Promise<string> {
  if (!canAsk) {
    // Without error output, the prompt cannot be shown and the terminal would echo the value.
    if (input.isTTY === true)
      throw usageError(
        'cannot ask for the value: standard error is not a terminal',
        `pipe it: … | signalbox secret set ${name}`,
      );
    return decodeUtf8(await buffer(input)).replace(/\r?\n$/, '');
  }
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: noEcho, terminal: true, historySize: 0 });
  const ended = new Promise<undefined>((end) => {
    lines.once('close', () => end(undefined));
    lines.once('SIGINT', () => lines.close());
  });
  try {
    await errors.print(`Value of ${name} (not shown): `);
    const value = await Promise.race([lines.question(''), ended]);
    await errors.print('\n');
    if (value === undefined) throw new CliError(1, 'cancelled', 'nothing was stored');
    return value;
  } finally {
    lines.close();
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw usageError('standard input is not valid UTF-8', 'encode it first, as in base64', { cause: error });
  }
}
