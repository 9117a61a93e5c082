import { fullPrincipalName } from '../../../core/principal.ts';
import { type Command, Option } from 'commander';
import type { Approval, RememberScope } from '../../../core/calls/approval.ts';
import type { RememberPreview } from '../../../pipeline/approvals/remembered.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { askingRules } from '../../../core/calls/decision.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { confirm } from '../../terminal/question.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { localUser } from '../../../access/local-user.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { runnable } from '../../terminal/invocation.ts';
import { exactLine, oneLine } from '../../terminal/escape.ts';
import { readArguments } from '../../input/call-arguments.ts';
import { connectToServer } from '../../client/connect-to-server.ts';
import { approvalTable } from './approval-tables.ts';
import { findApproval, withRecords } from '../../open-records.ts';
import { describeAbandoned } from './argument-lines.ts';

interface ApproveCommandOptions {
  readonly edit?: string;
  readonly remember?: RememberScope | 'nothing';
  readonly yes?: boolean;
  readonly acknowledgeHidden?: boolean;
}

/** `signalbox approve`: approves a call. */
export function addApproveCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('approve')
    .summary('approve one exact call')
    .description(
      'Allows one exact call to run, once. A waiting call runs now; otherwise the call runs when it is made again.',
    )
    .argument('<id>', 'the id, as signalbox approvals prints it, or its beginning')
    .option('--edit <json>', 'run it with these arguments instead; - reads them from standard input')
    .addOption(
      new Option(
        '--remember <scope>',
        'also approve later calls, after showing which recorded calls that would have allowed',
      ).choices(['session', 'arguments', 'tool', 'server', 'nothing']),
    )
    .option('-y, --yes', 'remember without asking')
    .option('--acknowledge-hidden', 'approve without seeing hidden parts that are not registered secrets')
    .action(async (prefix: string, options: ApproveCommandOptions, command: Command) => {
      const globals = readGlobalOptions(command);
      if (options.edit !== undefined && options.remember !== undefined && options.remember !== 'nothing')
        throw usageError(
          '--remember cannot be combined with --edit: it would allow the arguments that were edited away',
          'approve with one of them',
        );
      const edited = options.edit === undefined ? undefined : await readArguments(options.edit, terminal.input);
      await withRecords(globals, async (box) => {
        const asked = await findApproval(box, prefix);
        const { remember } = options;
        if (remember !== undefined && remember !== 'nothing' && asked.state === 'pending')
          await confirmRemembering(box, asked, remember, options.yes === true, terminal);
        const answer = {
          ...omitUndefined({ arguments: edited as JsonObject | undefined, remember }),
          ...(options.acknowledgeHidden === true ? { acknowledgeHidden: true } : {}),
        };
        // The running server has the schema of the tool, so it validates edited arguments now.
        const server = edited === undefined ? undefined : await connectToServer(globals, terminal.errors);
        const path = `/api/approvals/${encodeURIComponent(asked.id)}/approve`;
        const approval = await (
          server === undefined
            ? box.approvals.approve(asked.id, { by: localUser(), ...answer })
            : server.client.request<Approval>('POST', path, { body: answer })
        ).catch((error: unknown) => {
          throw withRevealCommand(error, asked.id);
        });
        if (globals.json) return printJson(terminal.output, approval);
        await terminal.output.print(formatApproved({ ...approval, caller: asked.caller ?? 'gone' }, terminal.output));
      });
    });
}

/** Adds the commands that continue to the error for hidden parts that nobody has seen. */
function withRevealCommand(error: unknown, id: string): unknown {
  const isHidden = error instanceof Error && 'code' in error && error.code === 'hidden-unacknowledged';
  if (!isHidden) return error;
  return new CliError(2, 'hidden-unacknowledged', error.message, {
    next: `signalbox approvals show ${id} --reveal, or signalbox approve ${id} --acknowledge-hidden`,
    cause: error,
  });
}

async function confirmRemembering(
  box: InternalSignalbox,
  asked: Approval,
  scope: RememberScope,
  isConfirmed: boolean,
  terminal: Terminal,
): Promise<void> {
  const { errors } = terminal;
  let preview: RememberPreview;
  try {
    preview = await box.approvals.preview(asked.id, scope, localUser());
  } catch (error) {
    // The approval reports this too, and then applies to this call only.
    if (error instanceof SignalboxError && error.code === 'remember-refused') return;
    throw error;
  }
  const { count, denied, examples } = preview;
  const refused = denied === 0 ? '' : `, ${denied} of which you denied`;
  await errors.print(
    `remembering this for the ${scope} would have let ${pluralize(count, 'recorded call')} through${refused}\n`,
  );
  if (examples.length > 0) await errors.print(approvalTable(errors, examples).text());
  if (isConfirmed) return;
  if (!terminal.canAsk)
    throw usageError('cannot ask for confirmation: this is not a terminal', 'add --yes to remember it');
  if (!(await confirm(terminal, 'Remember it?'))) {
    throw new CliError(1, 'not-remembered', 'you declined: nothing is remembered, and the call still waits', {
      next: `signalbox approve ${asked.id} approves only this call`,
    });
  }
}

function formatApproved(approval: Approval, { colors }: Printer): string {
  const { tool, arguments: asked, answer, principal, decision, caller, expiresAt } = approval;
  const what = exactLine(`${tool} ${JSON.stringify(answer?.arguments ?? asked)}`);
  const whom = `${oneLine(fullPrincipalName(principal))}${answer?.rule === undefined ? ', once' : ''}`;
  const effect = caller === 'gone' ? describeAbandoned(expiresAt) : 'the waiting call runs now';
  const lines = [
    `${colors.green('approved')} ${what}`,
    `  for ${whom}; ${effect}`,
    ...askingRules(decision).map(({ rule, reason }) => `  asked because ${oneLine(`${reason} (${rule})`)}`),
  ];
  if (answer?.arguments !== undefined) lines.push('  the edited arguments are validated when the call runs');
  if (answer?.hiddenParts !== undefined) lines.push(`  hidden parts: ${answer.hiddenParts}`);
  if (answer?.notRemembered !== undefined) lines.push(`  not remembered: ${oneLine(answer.notRemembered)}`);
  if (answer?.rule !== undefined)
    lines.push(`  remembered as ${answer.rule}; ${runnable(`signalbox approvals revoke ${answer.rule}`)} asks again`);
  return `${lines.join('\n')}\n`;
}

const pageSize = 1000;

/** `signalbox deny`: denies calls. */
export function addDenyCommand(program: Command, { terminal: { output } }: CommandContext): void {
  program
    .command('deny')
    .summary('deny one exact call, or all whose callers no longer wait')
    .description(
      'Denies one call. Waiting calls end now; if none waits, the next one is denied. After that, the call asks again.',
    )
    .argument('[id]', 'the id, as signalbox approvals prints it, or its beginning')
    .option('--gone', 'deny every question whose caller no longer waits')
    .option('--reason <text>', 'the reason, which the caller gets')
    .action(
      async (
        prefix: string | undefined,
        { gone = false, reason }: { readonly gone?: boolean; readonly reason?: string },
        command: Command,
      ) => {
        const globals = readGlobalOptions(command);
        if ((prefix === undefined) !== gone)
          throw usageError(gone ? '--gone takes no id' : 'an id is missing', 'signalbox approvals');
        await withRecords(globals, async (box) => {
          const asked = prefix === undefined ? await findAbandoned(box) : [await findApproval(box, prefix)];
          const denied: Approval[] = [];
          for (const { id } of asked) {
            const approval = await box.approvals.deny(id, { by: localUser(), ...omitUndefined({ reason }) });
            denied.push(approval);
            if (!globals.json) await output.print(formatDenied(approval, output));
          }
          if (globals.json) return printJson(output, gone ? { items: denied } : denied[0]);
          if (denied.length === 0) await output.print('nothing to deny: all callers still wait\n');
        });
      },
    );
}

/** Returns the pending approvals whose callers no longer wait. */
async function findAbandoned(box: InternalSignalbox): Promise<Approval[]> {
  const found: Approval[] = [];
  let cursor: string | undefined;
  do {
    const page = await box.approvals.page({ state: 'pending', limit: pageSize, ...omitUndefined({ cursor }) });
    found.push(...page.items.filter(({ caller }) => caller === 'gone'));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

function formatDenied({ tool, arguments: asked }: Approval, { colors }: Printer): string {
  return `${colors.yellow('denied')} ${exactLine(`${tool} ${JSON.stringify(asked)}`)}\n`;
}
