import { command, commands, type CommandResult } from './command.ts';
import { checkPackage } from './package-gate.ts';

/** Something that must hold for the repository as a whole. */
export interface Gate {
  readonly name: string;
  check(): Promise<CommandResult>;
}

/** The gates that stand before the tests. The commands themselves are the scripts of package.json. */
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
