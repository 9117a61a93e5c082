import { type Command, Option } from 'commander';
import { closestMatch } from '../../core/text/closest-match.ts';
import { type Role, roles } from '../../core/principal.ts';
import { withRecords } from '../approvals/open-inbox.ts';
import type { CommandContext } from '../command-context.ts';
import { parseDuration } from '../duration.ts';
import { type Globals, globalsOf } from '../globals.ts';
import { localTime } from '../local-time.ts';
import { localUser } from '../../access/local-user.ts';
import { printJson } from '../print-json.ts';
import { readConfiguration } from '../../host/read-configuration.ts';
import type { Printer } from '../terminal.ts';

interface Options {
  readonly role: Role;
  readonly profile?: string;
  readonly expires?: number;
  readonly name?: string;
}

/** `signalbox token create`. The token goes to standard output alone, so that it can be piped on. */
export function addCreateTokenCommand(token: Command, { terminal: { output, errors } }: CommandContext): void {
  token
    .command('create')
    .summary('create a token and show it once')
    .description('Creates a token and prints it. Only its hash is stored, so it cannot be shown again.')
    .addOption(new Option('--role <role>', 'what its holder may do').choices([...roles]).makeOptionMandatory())
    .option('--profile <name>', 'the profile that limits which tools its holder sees (role agent)')
    .option('--expires <duration>', 'how long it is valid, for example 30d (default: no expiry)', parseDuration)
    .option('--name <text>', 'a name that says what it is for')
    .action(async ({ role, profile, expires, name }: Options, command: Command) => {
      const globals = globalsOf(command);
      await withRecords(
        globals,
        async (box) => {
          const created = await box.tokens.create({
            role,
            ...(profile === undefined ? {} : { profile }),
            ...(name === undefined ? {} : { name }),
            ...(expires === undefined ? {} : { expiresInMs: expires }),
            by: localUser(),
          });
          if (globals.json) return printJson(output, created);
          await output.print(`${created.token}\n`);
          const until = created.expiresAt === undefined ? '' : ` until ${localTime(created.expiresAt)}`;
          await errors.print(`${created.id} is good${until} for the role ${role}; the token is not shown again\n`);
          if (profile !== undefined) await tellUnknownProfile(profile, globals, errors);
        },
        { mayMake: true },
      );
    });
}

/** No refusal: the data directory may serve another configuration, or this one may get the profile later. */
async function tellUnknownProfile(profile: string, globals: Globals, errors: Printer): Promise<void> {
  const names = Object.keys(readConfiguration(globals).configuration.profiles);
  if (names.includes(profile)) return;
  const meant = closestMatch(profile, names);
  const hint = meant === undefined ? '.' : `; did you mean ${JSON.stringify(meant)}?`;
  await errors.print(
    `${errors.colors.yellow('warning')}: the configuration has no profile ${JSON.stringify(profile)}${hint} The token is refused until there is one\n`,
  );
}
