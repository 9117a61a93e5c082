import { createInterface } from 'node:readline/promises';
import type { ApprovalAnswer, ApprovalRequest, Approve } from '../call/approval.ts';
import { oneLine, printable } from './printable.ts';
import type { Terminal } from './terminal.ts';

/** Asks the human at the terminal about one exact call. Anything but a clear yes is a no. */
export function askOnTerminal(terminal: Terminal, onInterrupt: () => void): Approve {
  return async (request): Promise<ApprovalAnswer> => {
    const { errors, input } = terminal;
    await errors.print(describe(request, terminal));
    const lines = createInterface({ input, output: errors.stream, terminal: true });
    // In its raw mode the terminal sends no signal for Ctrl-C.
    lines.on('SIGINT', onInterrupt);
    // Ctrl-D ends the input without an answer, and `question` would wait forever.
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    try {
      const answer = await Promise.race([lines.question('Run it? [y/N] ', { signal: request.signal }), ended]);
      return /^\s*y(es)?\s*$/i.test(answer) ? { allow: true } : { allow: false, reason: 'answered no at the terminal' };
    } finally {
      lines.close();
    }
  };
}

function describe(
  { tool, decision, principal, session, arguments: given }: ApprovalRequest,
  { errors: { colors } }: Terminal,
): string {
  const facts: [string, string][] = [
    ['effect', tool.effect],
    ['asks because', `${oneLine(decision.reason)} (${decision.rule})`],
    [
      'asked by',
      `${principal.kind} ${oneLine(principal.id)}${session === undefined ? '' : `, session ${oneLine(session)}`}`,
    ],
    ['arguments', printable(JSON.stringify(given, undefined, 2)).replaceAll('\n', '\n  ')],
  ];
  const lines = facts.map(([name, value]) => `  ${colors.dim(`${name}:`)} ${value}`);
  return `${colors.bold(colors.yellow(tool.name))} wants to run\n${lines.join('\n')}\n`;
}
