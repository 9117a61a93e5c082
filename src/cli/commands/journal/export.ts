import { type FileHandle, open } from 'node:fs/promises';
import type { Command } from 'commander';
import type { JournalReader } from '../../../journal/queries/journal-reader.ts';
import { messageOf } from '../../../core/errors.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { type Terminal, printJson } from '../../terminal/terminal.ts';
import { withJournal } from '../../open-records.ts';

// Batches entries, because one write per entry takes longer than reading them.
const chunkLength = 64 * 1024;

/** Adds `journal export`, which writes all entries as JSON lines. */
export function addExportCommand(journal: Command, { terminal }: CommandContext): void {
  journal
    .command('export')
    .summary('write all entries as JSON lines, oldest first')
    .description('Writes all entries as JSON lines, oldest first, to standard output or to a file.')
    .option('--out <file>', 'write to this file instead')
    .action(async (options: { out?: string }, command: Command) => {
      const globals = readGlobalOptions(command);
      await withJournal(globals, async (reader) => {
        if (options.out === undefined)
          await exportTo(reader, (text) => terminal.output.print(text), terminal.output.closed);
        else await exportToFile(reader, options.out, terminal, globals.json);
      });
    });
}

async function exportTo(
  reader: JournalReader,
  write: (text: string) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<number> {
  let chunk = '';
  let entries = 0;
  for await (const event of reader.stream({}, signal === undefined ? {} : { signal })) {
    if (signal?.aborted === true) break;
    chunk += `${JSON.stringify(event)}\n`;
    entries += 1;
    if (chunk.length < chunkLength) continue;
    await write(chunk);
    chunk = '';
  }
  await write(chunk);
  return entries;
}

async function exportToFile(reader: JournalReader, path: string, terminal: Terminal, json: boolean): Promise<void> {
  const file = await openForWriting(path);
  let entries: number;
  try {
    entries = await exportTo(reader, (text) => file.appendFile(text));
  } finally {
    await file.close();
  }
  if (json) await printJson(terminal.output, { entries, file: path });
  else await terminal.errors.print(`${entries} entries written to ${path}\n`);
}

async function openForWriting(path: string): Promise<FileHandle> {
  try {
    // Arguments and results are private, so only the user may read the file.
    return await open(path, 'w', 0o600);
  } catch (error) {
    throw new CliError(2, 'file-unwritable', `cannot write to ${path}: ${messageOf(error)}`, {
      next: 'name another file with --out',
      cause: error,
    });
  }
}
