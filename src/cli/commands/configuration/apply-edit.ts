import { ConfigurationError } from '../../../config/configuration-error.ts';
import type { Configuration } from '../../../config/configuration.ts';
import {
  type ConfigurationEdit,
  type EditedConfiguration,
  editConfiguration,
} from '../../../config/file/edit-configuration.ts';
import { loadPolicies } from '../../../config/file/load-policies.ts';
import type { ConfigurationTrust } from '../../../config/trust/configuration-trust.ts';
import type { Effect } from '../../../core/tools/tool.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { openTrust } from '../../../host/trust.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { printable } from '../../terminal/escape.ts';
import { type Terminal, printJson } from '../../terminal/terminal.ts';
import { formatLocation } from './target-configuration.ts';

/** A file that a command has edited. */
export interface AppliedEdit extends EditedConfiguration {
  /** Says that the rest of the file is not trusted. */
  readonly note: string | undefined;
}

/** Changes a configuration file for its user, who accepts the change by that. The rest of the file stays as trusted as it was. */
export async function applyUserEdit(
  { data }: GlobalOptions,
  file: string,
  edits: readonly ConfigurationEdit[],
): Promise<AppliedEdit> {
  const edited = editConfiguration(file, edits);
  const { before, configuration } = edited;
  const trust = openTrust(data);
  await trust.acceptEdit(before === undefined ? undefined : { configuration: { file, document: before }, rules: [] }, {
    configuration,
    rules: [],
  });
  return { ...edited, note: await noteOf(configuration, trust) };
}

/** The edit does not wait for the rest of the file, which another command asks about. */
async function noteOf(configuration: Configuration, trust: ConfigurationTrust): Promise<string | undefined> {
  try {
    const pending = await trust.pending({ configuration, rules: loadPolicies(configuration) });
    if (pending === undefined) return undefined;
    return `the rest of ${shortPath(configuration.file)} was not accepted on this machine; signalbox trust shows it`;
  } catch (error) {
    // Rules that cannot be read are reported by whoever needs them.
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

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
  else
    await output.print(`${sentence}: ${formatLocation(change.file, change.line)}${created ? ' (a new file)' : ''}\n`);
}

/** The line of a server's entry. */
export function entryLine(edited: EditedConfiguration, server: string): number {
  return edited.lineOf(['mcpServers', server]);
}
