import type { ApprovalAnswer, ApprovalRequest, Approve } from '../model/approval.ts';
import { asksOf } from '../model/decision.ts';
import { localUser } from './local-user.ts';
import { oneLine, printable } from './printable.ts';
import { yesOrNo } from './question.ts';
import type { Terminal } from './terminal.ts';

/** Asks the human at the terminal about one exact call. No answer is a no. */
export function askOnTerminal(terminal: Terminal, onInterrupt: () => void): Approve {
  return async (request): Promise<ApprovalAnswer> => {
    await terminal.errors.print(describe(request, terminal));
    const isAllowed = await yesOrNo(terminal, 'Run it?', { signal: request.signal, onInterrupt });
    const by = localUser();
    return isAllowed === true ? { allow: true, by } : { allow: false, by, reason: 'answered no at the terminal' };
  };
}

function describe(
  { tool, decision, principal, session, arguments: given }: ApprovalRequest,
  { errors: { colors } }: Terminal,
): string {
  const facts: [string, string][] = [
    ['effect', tool.effect],
    ...asksOf(decision).map(({ rule, reason }): [string, string] => ['asks because', `${oneLine(reason)} (${rule})`]),
    [
      'asked by',
      `${principal.kind} ${oneLine(principal.id)}${session === undefined ? '' : `, session ${oneLine(session)}`}`,
    ],
    ['arguments', printable(JSON.stringify(given, undefined, 2)).replaceAll('\n', '\n  ')],
  ];
  const lines = facts.map(([name, value]) => `  ${colors.dim(`${name}:`)} ${value}`);
  return `${colors.bold(colors.yellow(tool.name))} wants to run\n${lines.join('\n')}\n`;
}
