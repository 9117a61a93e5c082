import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { configurationFileNames } from '../../../config/configuration.ts';
import { findConfiguration } from '../../../config/file/configuration-files.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { runnable } from '../../terminal/invocation.ts';
import { printJson } from '../../terminal/terminal.ts';

const schemaName = 'signalbox.schema.json';

const starter = `{
  "$schema": "./${schemaName}",

  // The servers whose tools can be called, in the format of .mcp.json.
  "mcpServers": {
    // A module of your own, with tools created by defineTool:
    // "notes": { "module": "./notes.ts" },

    // signalbox add NAME -- COMMAND …   adds an MCP server
    // signalbox import                  imports the servers of other clients
  }
}
`;

/** `signalbox init`: creates a configuration file. */
export function addInitCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('init')
    .summary('create a configuration file')
    .description('Creates a configuration file, and its schema for editors. Never overwrites a file.')
    .action(async (_options: object, command: Command) => {
      const { config, json } = readGlobalOptions(command);
      const file = resolve(config ?? configurationFileNames[0]);
      const directory = dirname(file);
      const existing = [file, ...configurationFileNames.map((name) => join(directory, name))].find(existsSync);
      if (existing !== undefined)
        throw new CliError(2, 'configuration-exists', `${shortPath(existing)} already exists; nothing was written`, {
          data: { file: existing },
          next: 'signalbox add NAME -- COMMAND, or signalbox doctor',
        });
      const hidden = findConfiguration(directory);
      const schema = await writeSchema(join(directory, schemaName));
      writeFileSync(file, starter, { flag: 'wx' });
      if (json) {
        await printJson(terminal.output, { file, schema, insteadOf: hidden });
        return;
      }
      const lines = [
        `wrote ${basename(file)}${schema === undefined ? '' : `, and ${schemaName} for editors`}`,
        ...(hidden === undefined ? [] : [`in this directory it replaces ${shortPath(hidden)}`]),
        runnable('next: signalbox import, or signalbox add NAME -- COMMAND'),
      ];
      await terminal.output.print(`${lines.join('\n')}\n`);
    });
}

/** Writes the schema unless another file has its name. Returns its path. */
async function writeSchema(file: string): Promise<string | undefined> {
  const { describedConfigurationSchema } = await import('../../../config/schema/key-descriptions.ts');
  const { title, ...rest } = describedConfigurationSchema();
  const isForeign = existsSync(file) && !readFileSync(file, 'utf8').includes(JSON.stringify(title));
  if (isForeign) return undefined;
  writeFileSync(file, `${JSON.stringify({ title, ...rest }, undefined, 2)}\n`);
  return file;
}
