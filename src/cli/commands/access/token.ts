import { type AccessToken, parseTokenId } from '../../../access/access-tokens.ts';
import { localUser } from '../../../access/local-user.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { type Role, roles } from '../../../core/principal.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { readConfiguration } from '../../../host/read-configuration.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { parseDuration } from '../../input/duration-option.ts';
import { findByIdPrefix, withReadRecords, withRecords } from '../../open-records.ts';
import { oneLine } from '../../terminal/escape.ts';
import { type Column, Table } from '../../terminal/table.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { localTime } from '../../terminal/time.ts';
import { printWarning } from '../../terminal/warnings.ts';
import { type Command, Option } from 'commander';

/** `signalbox token`: manages the tokens for the HTTP API and MCP. */
export function addTokenCommand(program: Command, context: CommandContext): void {
  const token = program
    .command('token')
    .summary('manage the tokens of agents, scripts and people')
    .description(
      'Manages tokens for the HTTP API and MCP. A viewer reads. An agent calls tools and runs turns, sees only its own, and can never approve. An approver reads, answers questions and undoes calls. An admin does everything. Running servers apply changes within half a second.',
    );
  addCreateCommand(token, context);
  addListCommand(token, context);
  addRevokeCommand(token, context);
}

interface Options {
  readonly role: Role;
  readonly profile?: string;
  readonly expires?: number;
  readonly name?: string;
}

/** Adds `token create`. It prints only the token to standard output, so that it can be piped. */
function addCreateCommand(token: Command, { terminal: { output, errors } }: CommandContext): void {
  token
    .command('create')
    .summary('create a token and show it once')
    .description('Creates a token and prints it. Only its hash is stored, so it cannot be shown again.')
    .addOption(new Option('--role <role>', 'what its holder may do').choices([...roles]).makeOptionMandatory())
    .option('--profile <name>', 'the profile that limits which tools its holder sees (role agent)')
    .option('--expires <duration>', 'how long it is valid, for example 30d (default: no expiry)', parseDuration)
    .option('--name <text>', 'a name that describes its purpose')
    .action(async ({ role, profile, expires, name }: Options, command: Command) => {
      const globals = readGlobalOptions(command);
      await withRecords(
        globals,
        async (box) => {
          const details = omitUndefined({ profile, name, expiresInMs: expires });
          const created = await box.tokens.create({ role, ...details, by: localUser() });
          if (globals.json) return printJson(output, created);
          await output.print(`${created.token}\n`);
          const until = created.expiresAt === undefined ? '' : ` until ${localTime(created.expiresAt)}`;
          await errors.print(`${created.id} is valid${until} for the role ${role}; the token is not shown again\n`);
          if (profile !== undefined) await warnUnknownProfile(profile, globals, errors);
        },
        { canCreate: true },
      );
    });
}

/** Prints a warning for an unknown profile. Not an error: another configuration may have it, or this one may get it later. */
async function warnUnknownProfile(profile: string, globals: GlobalOptions, errors: Printer): Promise<void> {
  const names = Object.keys(readConfiguration(globals).configuration.profiles);
  if (names.includes(profile)) return;
  const meant = closestMatch(profile, names);
  const hint = meant === undefined ? '.' : `; did you mean ${JSON.stringify(meant)}?`;
  const known = `the configuration has no profile ${JSON.stringify(profile)}${hint}`;
  await printWarning(errors, `${known} The token is refused until there is one`);
}

const columns: readonly Column<AccessToken>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'ROLE', cell: ({ role }) => role },
  { heading: 'STATE', cell: ({ state }) => state },
  { heading: 'CREATED', cell: ({ createdAt }) => localTime(createdAt) },
  { heading: 'EXPIRES', cell: ({ expiresAt }) => timeOrNever(expiresAt) },
  { heading: 'LAST USED', cell: ({ lastUsedAt }) => timeOrNever(lastUsedAt) },
  { heading: 'PROFILE', cell: ({ profile = '' }) => oneLine(profile) },
  { heading: 'NAME', cell: ({ name = '' }) => oneLine(name) },
];

function timeOrNever(time: string | undefined): string {
  return time === undefined ? 'never' : localTime(time);
}

function addListCommand(token: Command, { terminal: { output } }: CommandContext): void {
  token
    .command('list')
    .summary('list the tokens, without their values')
    .description(
      'Lists the created tokens, newest first. The list does not include the admin token of the data directory.',
    )
    .action(async (_options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      await withReadRecords(globals, async ({ tokens }) => {
        const items = await tokens.list();
        if (globals.json) return printJson(output, { items });
        if (items.length === 0) return output.print('no tokens; signalbox token create --role agent creates one\n');
        return output.print(new Table(columns, items, output).text());
      });
    });
}

function addRevokeCommand(token: Command, { terminal: { output } }: CommandContext): void {
  token
    .command('revoke')
    .summary('revoke a token')
    .description(
      'Revokes a token. Running servers refuse it within half a second, and end the open requests of its holder within two seconds.',
    )
    .argument('<id>', 'the id, as signalbox token list prints it, or its beginning')
    .action(async (idOrToken: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      await withRecords(globals, async (box) => {
        // Accepts a token in place of its id, for a leaked token whose id is not known.
        const wanted = parseTokenId(idOrToken) ?? idOrToken;
        const found = findByIdPrefix(await box.tokens.list(), wanted, 'tok_');
        if (found === undefined) throw new SignalboxError('token-unknown', 'no token id begins with the given text');
        const revoked = await box.tokens.revoke(found.id, { by: localUser() });
        if (globals.json) return printJson(output, revoked);
        await output.print(`${output.colors.yellow('revoked')} ${revoked.id} (${revoked.role})\n`);
      });
    });
}
