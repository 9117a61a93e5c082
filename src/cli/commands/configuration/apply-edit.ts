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
import { openTrust } from '../../../host/open-trust.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { type Terminal, printJson } from '../../terminal/terminal.ts';
import { printWarning } from '../../terminal/warnings.ts';
import { formatLocation } from './target-configuration.ts';

/** The result of an edit. */
export interface AppliedEdit extends EditedConfiguration {
  /** A note when the rest of the file is not trusted. */
  readonly note: string | undefined;
}

/** Edits a configuration file. Running the command accepts the change; the trust of the rest of the file stays. */
export async function applyUserEdit(
  { data }: GlobalOptions,
  file: string,
  edits: readonly ConfigurationEdit[],
): Promise<AppliedEdit> {
  const edited = editConfiguration(file, edits);
  const { before, configuration } = edited;
  const trust = openTrust(data);
  await trust.acceptEdit(before, { configuration, rules: [] });
  return { ...edited, note: await noteUntrusted(configuration, trust) };
}

/** Returns a note when the rest of the file is not trusted. */
async function noteUntrusted(configuration: Configuration, trust: ConfigurationTrust): Promise<string | undefined> {
  try {
    const pending = await trust.pending({ configuration, rules: loadPolicies(configuration) });
    if (pending === undefined) return undefined;
    return `the rest of ${shortPath(configuration.file)} was not accepted on this machine; signalbox trust shows it`;
  } catch (error) {
    // Commands that use the rules report that they cannot be read.
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** The change that a command made to a configuration file. */
export interface Change {
  readonly action: 'added' | 'removed' | 'enabled' | 'disabled' | 'unchanged';
  readonly server: string;
  readonly file: string;
  readonly line: number;
  /** Whether the command created the file. */
  readonly created?: boolean;
  readonly warnings?: readonly string[];
  /** The tools of a server that was started. */
  readonly tools?: readonly { readonly name: string; readonly effect: Effect }[];
}

/** Prints the change and its location. */
export async function reportChange(change: Change, sentence: string, json: boolean, terminal: Terminal): Promise<void> {
  const { output, errors } = terminal;
  const { warnings = [], created = false, ...rest } = change;
  for (const warning of warnings) await printWarning(errors, warning);
  if (json) await printJson(output, { ...rest, created, warnings });
  else
    await output.print(`${sentence}: ${formatLocation(change.file, change.line)}${created ? ' (a new file)' : ''}\n`);
}

/** Returns the line of a server's entry. */
export function entryLine(edited: EditedConfiguration, server: string): number {
  return edited.lineOf(['mcpServers', server]);
}
