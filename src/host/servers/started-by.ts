import { delimiter } from 'node:path';
import { usageFailure } from '../../cli/fail.ts';

const variable = 'SIGNALBOX_STARTED_BY';

/** Tells a program that is started, which may be Signalbox again, from which directories' configurations that came. */
export function startedByVariable(directory: string): Record<string, string> {
  return { [variable]: [...starters(), directory].join(delimiter) };
}

/** Ends a command that its own configuration started as a server: each would start the next one, without end. */
export function assertNotStartedByItself(directory: string): void {
  if (starters().includes(directory))
    throw usageFailure('this configuration has Signalbox itself as a server, which would start it again and again', {
      next: 'take that server out of "mcpServers"; signalbox stdio belongs into the configuration of a client',
    });
}

function starters(): string[] {
  return (process.env[variable] ?? '').split(delimiter).filter((each) => each !== '');
}
