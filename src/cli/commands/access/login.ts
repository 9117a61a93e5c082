import { messageOf } from '../../../core/errors.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import type { Command } from 'commander';

const signInTimeoutSeconds = 300;

/** `signalbox login NAME`: signs in to a server with OAuth. */
export function addLoginCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('login')
    .summary('sign in to a server with OAuth')
    .description(
      'Signs in to a server through your browser. The tokens are stored encrypted and renewed automatically.',
    )
    .argument('<name>', 'the name of the server')
    .option('--no-browser', 'only print the address to open')
    .action(async (name: string, { browser }: { readonly browser: boolean }, command: Command) => {
      const globals = readGlobalOptions(command);
      const { resolveOAuthServer } = await import('./oauth-server.ts');
      const { openBrowser } = await import('../../terminal/open-browser.ts');
      const { signIn } = await import('../../../sources/mcp/http/oauth/sign-in.ts');
      const { isUnattended } = await import('../../../sources/mcp/http/oauth/oauth-options.ts');
      const server = await resolveOAuthServer(name, globals);
      if (isUnattended(server.oauth))
        throw usageError(
          `server "${name}" signs in with its own credentials, so you cannot sign in to it`,
          'signalbox doctor checks whether that works',
        );
      const { errors, output } = terminal;
      const interruption = new Interruption();
      const waiting = new Waiting(errors);
      const onAuthorize = async (url: URL): Promise<void> => {
        const isOpened = browser && openBrowser(url);
        const what = isOpened ? 'Your browser should open; if it does not, go to' : 'To sign in, go to';
        await errors.print(`${what}\n\n  ${url.href}\n\n`);
        waiting.start();
      };
      try {
        const signedIn = await signIn(server, {
          onAuthorize,
          signal: interruption.signal,
          timeoutMs: signInTimeoutSeconds * 1000,
        });
        waiting.stop();
        if (globals.json) await printJson(output, { server: name, ...signedIn });
        else await output.print(`signed in to "${name}" by ${signedIn.issuer}; the tokens are stored encrypted\n`);
      } catch (error) {
        const next = `signalbox login ${name}`;
        throw new CliError(1, 'sign-in-failed', `not signed in to "${name}": ${messageOf(error)}`, {
          next,
          cause: error,
        });
      } finally {
        waiting.stop();
        interruption.stop();
      }
    });
}

/** Shows a progress line while the user signs in. */
class Waiting {
  readonly #line: ProgressLine;
  #timer: NodeJS.Timeout | undefined;

  constructor(printer: Printer) {
    this.#line = new ProgressLine(printer);
  }

  start(): void {
    const began = Date.now();
    const show = (): void => {
      const progress = Math.round((Date.now() - began) / 1000);
      this.#line.show({
        progress,
        total: signInTimeoutSeconds,
        message: 's, waiting for the browser (Ctrl-C to stop)',
      });
    };
    this.#timer = setInterval(show, 1000);
    show();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#line.clear();
  }
}

/** `signalbox logout NAME`: signs out of a server. */
export function addLogoutCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('logout')
    .summary('sign out of a server')
    .description('Deletes the tokens for a server, and revokes them where its authorization server supports that.')
    .argument('<name>', 'the name of the server')
    .action(async (name: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const { resolveOAuthServer } = await import('./oauth-server.ts');
      const { signOut } = await import('../../../sources/mcp/http/oauth/sign-in.ts');
      const { wasSignedIn, isRevoked } = await signOut(await resolveOAuthServer(name, globals));
      if (globals.json) await printJson(terminal.output, { server: name, wasSignedIn, isRevoked });
      else await terminal.output.print(`${describeResult(name, wasSignedIn, isRevoked)}\n`);
    });
}

function describeResult(name: string, wasSignedIn: boolean, isRevoked: boolean): string {
  if (!wasSignedIn) return `you were not signed in to "${name}"`;
  const rest = isRevoked ? 'the tokens are revoked and deleted' : 'the tokens are deleted here, but were not revoked';
  return `signed out of "${name}": ${rest}`;
}
