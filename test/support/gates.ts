import { command, commands, type CommandResult } from './command.ts';
import { checkPackage } from './package-gate.ts';

/** A check of the whole repository. */
export interface Gate {
  readonly name: string;
  check(): Promise<CommandResult>;
}

/** The checks that run before the tests. Their commands are the scripts of package.json. */
export const gates: readonly Gate[] = [
  { name: 'types', check: () => script('types') },
  { name: 'lint', check: () => script('lint') },
  { name: 'format', check: () => script('format', '--check') },
  {
    name: 'unused code',
    check: () =>
      commands(
        ['npm', 'run', '--silent', 'unused'],
        // what src/ imports must be a dependency or a peer, not one of our tools
        ['knip', '--production', '--strict', '--dependencies'],
      ),
  },
  { name: 'package', check: checkPackage },
];

function script(name: string, ...args: readonly string[]): Promise<CommandResult> {
  return command('npm', ['run', '--silent', name, '--', ...args]);
}
