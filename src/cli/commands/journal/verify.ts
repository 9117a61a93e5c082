import { type Command, InvalidArgumentError } from 'commander';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { readArchives } from '../../../journal/pruning/archive-file.ts';
import type { ChainHead } from '../../../journal/store/store.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { printJson } from '../../terminal/terminal.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { withJournal } from '../../open-records.ts';

/** Adds `journal verify`, which checks the hash chain. */
export function addVerifyCommand(journal: Command, { terminal: { output, errors } }: CommandContext): void {
  journal
    .command('verify')
    .summary('check that no entry was changed, removed or reordered')
    .description(
      'Recomputes the hash chain over all entries, checks its seal with the key of this machine, and compares the index, approvals, tokens, pinned definitions, sign-ins and stored outcomes with the entries. Names the first broken entry and exits with 1 when something does not match.',
    )
    .option(
      '--head <seq:hash>',
      'a head that verify printed earlier and that you stored in another place; also detects a rewritten journal',
      parseHead,
    )
    .option('--with <file...>', 'archives that prune wrote, oldest first; verifies them, and that they connect')
    .action(async (options: { head?: ChainHead; with?: string[] }, command: Command) => {
      const globals = readGlobalOptions(command);
      await withJournal(globals, async (reader) => {
        const beginning = await reader.beginning();
        const asked = omitUndefined({ expected: options.head, archive: options.with && readArchives(options.with) });
        const found = await new ProgressLine(errors).during('checking the chain', () => reader.verify(asked));
        if (!found.ok) {
          throw new CliError(1, 'journal-broken', found.problem, {
            lines: [
              `first broken entry: ${found.seq}; the ${found.entries} before it are intact`,
              `journal: ${shortPath(reader.location)}`,
            ],
            data: { seq: found.seq, entries: found.entries, location: reader.location },
            next: `copy the journal, then read the entries around it: signalbox journal --before ${found.seq + 10}`,
          });
        }
        const head = `${found.head.seq}:${found.head.hash}`;
        const pruned =
          beginning.seq === 0 ? {} : { pruned: { to: beginning.seq, at: new Date(beginning.at).toISOString() } };
        const { authentication } = found;
        if (globals.json)
          return printJson(output, { ok: true, entries: found.entries, head, authentication, ...pruned });
        const { colors } = output;
        await output.print(
          `${colors.green('ok')} ${found.entries} entries checked, the chain is intact\nhead ${head}\n`,
        );
        await output.print(
          authentication.state === 'sealed'
            ? `sealed up to entry ${authentication.seq} with the key of this machine\n`
            : `${colors.yellow('not authenticated on this machine')}: ${authentication.why}\n`,
        );
        if (beginning.seq > 0) await output.print(`entries up to ${beginning.seq} were pruned\n`);
        if (found.entries > 0)
          await output.print(
            `${colors.dim('store this head in another place; later: signalbox journal verify --head …')}\n`,
          );
      });
    });
}

function parseHead(text: string): ChainHead {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new InvalidArgumentError('A head is SEQ:HASH, as journal verify prints it.');
  return { seq: Number(seq), hash };
}
