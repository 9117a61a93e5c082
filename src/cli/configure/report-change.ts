import type { EditedConfiguration } from '../../config/file/edit-configuration.ts';
import type { Effect } from '../../core/tools/tool.ts';
import { printJson } from '../print-json.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { shownPlace } from './target-configuration.ts';

/** What a command did to a configuration file. */
export interface Change {
  readonly action: 'added' | 'removed' | 'enabled' | 'disabled' | 'unchanged';
  readonly server: string;
  readonly file: string;
  readonly line: number;
  /** Whether the file was made for it. */
  readonly created?: boolean;
  readonly warnings?: readonly string[];
  /** The tools of a server that was started. */
  readonly tools?: readonly { readonly name: string; readonly effect: Effect }[];
}

/** Tells what changed, and where. */
export async function reportChange(change: Change, sentence: string, json: boolean, terminal: Terminal): Promise<void> {
  const { output, errors } = terminal;
  const { warnings = [], created = false, ...rest } = change;
  for (const warning of warnings) await errors.print(`${errors.colors.yellow('warning')}: ${printable(warning)}\n`);
  if (json) await printJson(output, { ...rest, created, warnings });
  else await output.print(`${sentence}: ${shownPlace(change.file, change.line)}${created ? ' (a new file)' : ''}\n`);
}

/** The line of a server's entry. */
export function entryLine(edited: EditedConfiguration, server: string): number {
  return edited.lineOf(['mcpServers', server]);
}
