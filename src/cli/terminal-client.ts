import type { CallClient } from '../core/calls/call-client.ts';
import { elicitOnTerminal } from './elicit-on-terminal.ts';
import { oneLine } from './printable.ts';
import type { ProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';

/** What the one at the terminal can do for a tool: answer what it asks, and read what it says. */
export function terminalClient(terminal: Terminal, progress: ProgressLine, onInterrupt: () => void): CallClient {
  const { errors, canAsk } = terminal;
  const elicit = elicitOnTerminal(terminal, onInterrupt);
  return {
    log({ level, logger, data }) {
      progress.clear();
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const from = logger === undefined ? level : `${level} ${logger}`;
      void errors.print(`${errors.colors.dim(`${oneLine(from)}: ${oneLine(text)}`)}\n`);
    },
    ...(canAsk ? { elicit: (request, asking) => progress.pauseFor(() => elicit(request, asking)) } : {}),
  };
}
