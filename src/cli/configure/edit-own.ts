import { ConfigurationError } from '../../config/configuration-error.ts';
import type { Configuration } from '../../config/configuration.ts';
import {
  type ConfigurationEdit,
  type EditedConfiguration,
  editConfiguration,
} from '../../config/file/edit-configuration.ts';
import { loadPolicies } from '../../config/file/load-policies.ts';
import type { ConfigurationTrust } from '../../config/trust/configuration-trust.ts';
import { type Globals } from '../globals.ts';
import { shortPath } from '../../host/data-directory.ts';
import { openTrust } from '../../host/trust.ts';

/** A file that a command has edited. */
export interface OwnEdit extends EditedConfiguration {
  /** Says that the rest of the file is not trusted. */
  readonly note: string | undefined;
}

/** Changes a configuration file for its user, who accepts the change by that. The rest of the file stays as trusted as it was. */
export async function editOwn({ data }: Globals, file: string, edits: readonly ConfigurationEdit[]): Promise<OwnEdit> {
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
