import type { Command } from 'commander';
import { messageOf } from '../../../core/errors.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { printJson } from '../../terminal/terminal.ts';

interface Options {
  readonly browser: boolean;
  readonly name?: string;
}

/** `signalbox open`: prints and opens a new sign-in link to the console of the running server. */
export function addOpenCommand(program: Command, { terminal: { output } }: CommandContext): void {
  program
    .command('open')
    .summary('open the console of the running server, signed in')
    .description(
      'Prints a new link to the console of the server that runs on the data directory, and opens it in your browser. The link signs in one browser, once, within ten minutes.',
    )
    .option('--no-browser', 'only print the link')
    .option('--name <person>', 'who is signed in (default: you); their answers are recorded under this name')
    .action(async ({ browser, name }: Options, command: Command) => {
      const globals = readGlobalOptions(command);
      const url = await signInLink(globals, name);
      if (globals.json) return printJson(output, { url });
      const { openBrowser } = await import('../../terminal/open-browser.ts');
      const isOpened = browser && output.isTTY && openBrowser(new URL(url));
      await output.print(isOpened ? `${url}\nyour browser should open it; it signs in once\n` : `${url}\n`);
    });
}

/** Requests a link from the server with the same configuration or, if that fails, from the newest server that answers. */
async function signInLink(globals: GlobalOptions, name: string | undefined): Promise<string> {
  const { isConfigurationOf, reachableServers } = await import('../../client/connect-to-server.ts');
  const { ServerClient } = await import('../../client/server-client.ts');
  const isOwn = ({ configuration = '' }): boolean => isConfigurationOf(globals, configuration);
  const servers = reachableServers(globals.data).toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
  const problems: string[] = [];
  for (const { url, key } of servers) {
    try {
      const link = await new ServerClient(url, key).request<{ url: string }>('POST', `/api/sign-in-links${query}`);
      return link.url;
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  if (problems.length === 0)
    throw new CliError(1, 'server-absent', `no server runs on ${shortPath(globals.data)}`, { next: 'signalbox serve' });
  throw new CliError(1, 'server-lost', 'no server returned a sign-in link', {
    lines: problems,
    next: 'signalbox status',
  });
}
