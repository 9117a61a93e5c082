import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JournalEvent } from '../../../journal/entries/journal-event.ts';
import { unprunedJournal } from '../../../journal/store/drop-request.ts';
import type { JournalQuery, JournalReader } from '../../../journal/queries/journal-reader.ts';
import type { OutcomeName } from '../../../core/calls/call-outcome.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { parseSince } from '../../input/duration-option.ts';
import { usageError } from '../../cli-error.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { type Terminal, printJson } from '../../terminal/terminal.ts';
import { toRenderedName } from '../../input/resolve-tool.ts';
import { addExportCommand } from './export.ts';
import { entryTable } from './entry-table.ts';
import { withJournal } from '../../open-records.ts';
import { addPruneCommand } from './prune.ts';
import { addVerifyCommand } from './verify.ts';

interface Options {
  readonly follow?: boolean;
  readonly session?: string;
  readonly tool?: string;
  readonly outcome?: OutcomeName;
  readonly since?: number;
  readonly before?: number;
  readonly limit: number;
}

const outcomes: readonly OutcomeName[] = [
  'completed',
  'failed',
  'denied',
  'awaiting-approval',
  'timed-out',
  'cancelled',
  'stale',
  'unknown',
];

/** `signalbox journal`: shows, verifies, exports and prunes the journal. */
export function addJournalCommand(program: Command, context: CommandContext): void {
  const journal = program
    .command('journal')
    .summary('show, verify or export the record of all calls')
    .description('Shows the newest entries of the journal, the newest last.')
    .option('-f, --follow', 'print new entries, of all processes, until Ctrl-C')
    .option('--session <id>', 'only entries of this session')
    .option('--tool <name>', 'only entries of this tool: mcp__server__tool or server/tool')
    .addOption(new Option('--outcome <name>', 'only calls with this outcome').choices(outcomes))
    .option('--since <when>', 'only entries since this time: 90s, 15m, 1h, 7d, or a date', (text) => parseSince(text))
    .option('--before <seq>', 'only entries before this number; "next" of --json gives it', parseCount)
    .option('--limit <n>', 'how many entries at most', parseCount, 20)
    .addHelpText('after', examples)
    .allowExcessArguments()
    .action(async (options: Options, command: Command) => {
      rejectUnknownSubcommand(command);
      const globals = readGlobalOptions(command);
      await withJournal(globals, async (reader) => {
        if (options.follow === true) await follow(reader, options, context.terminal, globals.json);
        else await show(reader, options, context.terminal, globals.json);
      });
    });
  addVerifyCommand(journal, context);
  addExportCommand(journal, context);
  addPruneCommand(journal, context);
}

const examples = `
Examples:
  signalbox journal --since 1h --outcome failed
  signalbox journal --follow --tool notes/add
  signalbox journal verify
  signalbox journal export --out journal.jsonl
  signalbox journal prune --older-than 180d --export old.jsonl.gz`;

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return count;
}

function rejectUnknownSubcommand(command: Command): void {
  const [word] = command.args;
  if (word === undefined) return;
  const meant = closestMatch(
    word,
    command.commands.map((subcommand) => subcommand.name()),
  );
  const lines = meant === undefined ? [] : [`Did you mean ${meant}?`];
  throw usageError(`unknown command 'journal ${word}'`, 'signalbox journal --help', { lines });
}

function toQuery({ session, tool, outcome, since, before }: Options): JournalQuery {
  return omitUndefined({ session, tool: tool && (toRenderedName(tool) ?? tool), outcome, since, before });
}

/** Reads the newest entries, oldest first, in as many pages as the limit needs. */
async function newest(
  reader: JournalReader,
  query: JournalQuery,
  limit: number,
): Promise<{ items: JournalEvent[]; next?: number }> {
  const items: JournalEvent[] = [];
  let page = await reader.query({ ...query, limit });
  items.push(...page.items);
  while (page.next !== undefined && items.length < limit) {
    page = await reader.query({ ...query, before: page.next, limit: limit - items.length });
    items.push(...page.items);
  }
  items.reverse();
  return page.next === undefined ? { items } : { items, next: page.next };
}

async function show(
  reader: JournalReader,
  options: Options,
  { output, errors }: Terminal,
  json: boolean,
): Promise<void> {
  const page = await newest(reader, toQuery(options), options.limit);
  const { seq, at } = page.next === undefined ? await reader.beginning() : unprunedJournal;
  const since = new Date(at).toISOString();
  if (json) return printJson(output, seq === 0 ? page : { ...page, pruned: { seq, at: since } });
  const pruned = seq === 0 ? '' : `entries up to ${seq} (${since}) were pruned; their archive has them\n`;
  if (page.items.length === 0) return errors.print(`${noEntriesMessage(options)}\n${pruned}`);
  await output.print(entryTable(output, page.items).text());
  if (pruned !== '') await errors.print(pruned);
}

function noEntriesMessage({ tool }: Options): string {
  if (tool === undefined || toRenderedName(tool) !== undefined) return 'no entries match';
  return `no entries match; name the tool as mcp__server__tool or server/tool, "${tool}" is not a full name`;
}

async function follow(reader: JournalReader, options: Options, { output }: Terminal, json: boolean): Promise<void> {
  const query = toQuery(options);
  const { items } = await newest(reader, query, options.limit);
  const table = entryTable(output, items);
  const line = (event: JournalEvent): string => `${json ? JSON.stringify(event) : table.row(event)}\n`;
  await interruptible(async (interruption) => {
    const signal = AbortSignal.any([interruption.signal, output.closed]);
    if (!json) await output.print(`${table.heading()}\n`);
    for (const event of items) await output.print(line(event));
    const from = { ...query, after: items.at(-1)?.seq ?? 0 };
    for await (const event of reader.stream(from, { follow: true, signal })) await output.print(line(event));
  });
}
