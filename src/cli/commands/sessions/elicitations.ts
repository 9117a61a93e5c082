import { type Command, Option } from 'commander';
import { SignalboxError } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import type { PendingElicitation } from '../../../sessions/turns/turn-elicitations.ts';
import { findByIdPrefix } from '../../open-records.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { createElicitationPrompt } from '../../terminal/elicitation-prompt.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { localTime } from '../../terminal/time.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { oneLine, printable } from '../../terminal/escape.ts';
import { askYesOrNo } from '../../terminal/question.ts';
import { readArguments } from '../../input/call-arguments.ts';
import { connectToServer } from '../../client/connect-to-server.ts';
import type { ServerClient } from '../../client/server-client.ts';
import { type Column, Table } from '../../terminal/table.ts';

interface AnswerOptions {
  readonly accept?: boolean;
  readonly content?: string;
  readonly decline?: boolean;
  readonly cancel?: boolean;
}

type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: JsonObject };

/** `signalbox elicitations` and `signalbox answer`: list and answer questions of servers to the user of a session. */
export function addElicitationCommands(program: Command, { terminal }: CommandContext): void {
  program
    .command('elicitations')
    .summary('list forms, pages and sampling requests of servers that wait for you')
    .description(
      'Lists the questions of MCP servers to the user of a session, oldest first: forms, pages to open, and requests to a model.',
    )
    .option('--session <id>', 'only those of this session')
    .addHelpText('after', examples)
    .action(async ({ session }: { readonly session?: string }, command: Command) => {
      const globals = readGlobalOptions(command);
      const items = await pending(await requireServer(globals, terminal.errors), session);
      if (globals.json) return printJson(terminal.output, { items });
      if (items.length === 0) return terminal.errors.print('no server waits for an answer\n');
      await terminal.output.print(new Table(columns, items, terminal.output).text());
    });
  program
    .command('answer')
    .summary('answer a question of a server')
    .description(
      'Answers a question of a server. Without an option, it asks for each field on the terminal, and shows pages and sampling requests before you agree.',
    )
    .argument('<id>', 'the id, as signalbox elicitations prints it, or its beginning')
    .option('--content <json>', 'accept a form with these values; - reads them from standard input')
    .addOption(new Option('--accept', 'accept a page or a sampling request').conflicts('content'))
    .addOption(new Option('--decline', 'decline it').conflicts(['content', 'accept']))
    .addOption(new Option('--cancel', 'dismiss it without an answer').conflicts(['content', 'accept', 'decline']))
    .action(async (prefix: string, options: AnswerOptions, command: Command) => {
      const globals = readGlobalOptions(command);
      const client = await requireServer(globals, terminal.errors);
      const found = (await pending(client)).map((item) => ({ id: item.elicitationId, item }));
      const asked = findByIdPrefix(found, prefix, 'elic_')?.item;
      if (asked === undefined)
        throw new SignalboxError('elicitation-unknown', `no question id begins with ${JSON.stringify(prefix)}`);
      const answer = (await answerFromOptions(options, terminal)) ?? (await promptForAnswer(asked, terminal));
      const { elicitationId, sessionId, server } = asked;
      const path = `/api/sessions/${encodeURIComponent(sessionId)}/answer-elicitation`;
      await client.request('POST', path, { body: { elicitationId, ...answer } });
      if (globals.json) return printJson(terminal.output, { elicitationId, sessionId, ...answer });
      await terminal.output.print(`answered server ${oneLine(server)}: ${answer.action}\n`);
    });
}

const examples = `
Examples:
  signalbox answer 7k3m                            asks you field by field
  signalbox answer 7k3m --content '{"name":"Ada"}' fills in a form
  signalbox answer 7k3m --decline                  declines it`;

/** Connects to the running server. Rejects with `server-absent` when none runs. */
async function requireServer(globals: GlobalOptions, errors: Printer): Promise<ServerClient> {
  const server = await connectToServer(globals, errors);
  if (server !== undefined) return server.client;
  throw new CliError(1, 'server-absent', `no server with this configuration runs on ${shortPath(globals.data)}`, {
    next: 'signalbox serve, or --config FILE for the configuration of the running server',
  });
}

async function pending(client: ServerClient, session?: string): Promise<readonly PendingElicitation[]> {
  const query = session === undefined ? '' : `?session=${encodeURIComponent(session)}`;
  const { items } = await client.request<{ readonly items: readonly PendingElicitation[] }>(
    'GET',
    `/api/elicitations${query}`,
  );
  return items;
}

/** Returns the answer that the options give; `undefined` without one. */
async function answerFromOptions(
  { accept, content, decline, cancel }: AnswerOptions,
  { input }: Terminal,
): Promise<Answer | undefined> {
  if (decline === true) return { action: 'decline' };
  if (cancel === true) return { action: 'cancel' };
  if (accept === true) return { action: 'accept' };
  if (content === undefined) return undefined;
  const values = await readArguments(content, input);
  if (!isJsonObject(values))
    throw usageError('--content is not a JSON object', `give the values as in '{"name": "Ada"}'`);
  return { action: 'accept', content: values };
}

/** Asks the user at the terminal. */
async function promptForAnswer(asked: PendingElicitation, terminal: Terminal): Promise<Answer> {
  if (!terminal.canAsk)
    throw usageError(
      'cannot ask for an answer: this is not a terminal',
      'give --content, --accept, --decline or --cancel',
    );
  const { errors } = terminal;
  await errors.print(`server ${errors.colors.bold(oneLine(asked.server))}\n`);
  if (asked.mode !== 'sampling')
    return await interruptible((interruption) => {
      const elicit = createElicitationPrompt(terminal, () => interruption.interrupt());
      return elicit(asked, { signal: interruption.signal });
    });
  await errors.print(`${printable(asked.message)}\n${printable(JSON.stringify(asked.request, null, 2))}\n`);
  const isAllowed = await askYesOrNo(terminal, `Send it to ${oneLine(asked.model)}?`);
  return { action: isAllowed === undefined ? 'cancel' : isAllowed ? 'accept' : 'decline' };
}

const columns: readonly Column<PendingElicitation>[] = [
  { heading: 'ID', cell: ({ elicitationId }) => elicitationId.replace(/^elic_/, '') },
  { heading: 'SERVER', cell: ({ server }) => oneLine(server) },
  { heading: 'KIND', cell: ({ mode }) => mode },
  { heading: 'EXPIRES AT', cell: ({ expiresAt }) => localTime(expiresAt), optional: true },
  { heading: 'SESSION', cell: ({ sessionId }) => sessionId, optional: true },
  {
    heading: 'MESSAGE',
    cell: (item) => oneLine(item.mode === 'url' ? `${item.message} ${item.url}` : item.message),
  },
];
