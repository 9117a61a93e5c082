import { fullPrincipalName } from '../../../core/principal.ts';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../../../core/calls/approval.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { askingRules } from '../../../core/calls/decision.ts';
import { argumentLines, unregisteredParts } from '../approvals/argument-lines.ts';
import { localUser } from '../../../access/local-user.ts';
import { oneLine } from '../../terminal/escape.ts';
import { type PromptOptions, askLine, askYesOrNo } from '../../terminal/question.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** Creates a callback that asks the user at the terminal to approve a call. No answer denies the call. */
export function createApprovalPrompt(terminal: Terminal, onInterrupt: () => void): Approve {
  return async (request): Promise<ApprovalAnswer> => {
    await terminal.errors.print(describe(request, terminal));
    const options = { signal: request.signal, onInterrupt };
    const hides = unregisteredParts(request.hidden).length > 0;
    return hides ? askAboutHidden(terminal, request, options) : askToRun(terminal, options);
  };
}

async function askToRun(terminal: Terminal, options: PromptOptions): Promise<ApprovalAnswer> {
  return (await askYesOrNo(terminal, 'Run it?', options)) === true ? { allow: true, by: localUser() } : denied();
}

/** Asks about a call with hidden arguments. An approval needs `r`, which reveals them, or a second confirmation. */
async function askAboutHidden(
  terminal: Terminal,
  request: ApprovalRequest,
  options: PromptOptions,
): Promise<ApprovalAnswer> {
  const { errors } = terminal;
  const parts = pluralize(unregisteredParts(request.hidden).length, 'part');
  for (;;) {
    const answer = await askLine(terminal, `Run it? ${parts} hidden: r reveals [y/N/r] `, options);
    if (answer === undefined || /^\s*(no?)?\s*$/i.test(answer)) return denied();
    if (/^\s*r(eveal)?\s*$/i.test(answer)) {
      const revealed = await request.reveal(localUser());
      await errors.print(
        `  ${errors.colors.dim('arguments:')} ${argumentLines(revealed.arguments, revealed.hidden).join('\n')}\n`,
      );
      return askToRun(terminal, options);
    }
    if (/^\s*y(es)?\s*$/i.test(answer)) {
      const isSure = await askYesOrNo(terminal, `${parts} were not shown. Run it without seeing them?`, options);
      return isSure === true ? { allow: true, by: localUser(), acknowledgeHidden: true } : denied();
    }
    await errors.print('answer y, n or r\n');
  }
}

function denied(): ApprovalAnswer {
  return { allow: false, by: localUser(), reason: 'denied at the terminal' };
}

function describe(
  { tool, decision, principal, session, shown, hidden, flags = [] }: ApprovalRequest,
  { errors: { colors } }: Terminal,
): string {
  const facts: [string, string][] = [
    ['effect', tool.effect],
    ...askingRules(decision).map(({ rule, reason }): [string, string] => [
      'asks because',
      `${oneLine(reason)} (${rule})`,
    ]),
    ...flags.map((flag): [string, string] => ['suspicious', colors.red(oneLine(flag))]),
    [
      'asked by',
      `${principal.kind} ${oneLine(fullPrincipalName(principal))}${session === undefined ? '' : `, session ${oneLine(session)}`}`,
    ],
    ['arguments', argumentLines(shown, hidden).join('\n')],
  ];
  const lines = facts.map(([name, value]) => `  ${colors.dim(`${name}:`)} ${value}`);
  return `${colors.bold(colors.yellow(tool.name))} wants to run\n${lines.join('\n')}\n`;
}
