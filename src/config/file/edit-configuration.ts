import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isJsonObject } from '../../core/json/json.ts';
import type { Configuration } from '../configuration.ts';
import type { ConfigurationWithRules } from '../trust/configuration-trust.ts';
import { replaceFile } from './atomic-file.ts';
import { parseJsonDocument } from './json-document.ts';
import { removeProperty, setProperty } from './json-edit.ts';
import { parseConfiguration } from './load-configuration.ts';

/** One change of a configuration: the new value at a path, or `undefined` to remove it. */
export interface ConfigurationEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A configuration file after an edit. */
export interface EditedConfiguration {
  readonly configuration: Configuration;
  /** The configuration before the edit, for comparison by `ConfigurationTrust`; absent for a new file. */
  readonly before: ConfigurationWithRules | undefined;
  /** Returns the line on which the value at the path begins, counted from 1. */
  lineOf(path: readonly string[]): number;
}

const byteOrderMark = '\ufeff';

/** The content of a new file. */
const emptyConfiguration = '{\n  "mcpServers": {}\n}\n';

/** A valid edit that is not written yet. */
export interface PreparedEdit extends EditedConfiguration {
  write(): void;
}

/**
 * Edits a configuration file and preserves the rest of it, including comments. Creates a missing file. Throws a `ConfigurationError`
 * and writes nothing when the result is invalid. Calls `beforeWriting` with the new text.
 */
export function editConfiguration(
  file: string,
  edits: readonly ConfigurationEdit[],
  beforeWriting?: (text: string) => void,
): EditedConfiguration {
  const { write, ...edited } = prepareEdit(file, edits, beforeWriting);
  write();
  return edited;
}

/** Validates an edit without writing it. Throws like `editConfiguration`. */
export function prepareEdit(
  file: string,
  edits: readonly ConfigurationEdit[],
  beforeWriting?: (text: string) => void,
): PreparedEdit {
  const exists = existsSync(file);
  // Writes to the target of a symbolic link, so that the link is preserved.
  const target = exists ? realpathSync(file) : file;
  const original = exists ? readFileSync(target, 'utf8') : emptyConfiguration;
  const mark = original.startsWith(byteOrderMark) ? byteOrderMark : '';
  const text = original.slice(mark.length);
  // An invalid text cannot be edited safely; parsing it throws its problems.
  const { problems, value: before } = parseJsonDocument(text);
  if (problems.length > 0) parseConfiguration(text, file);
  const result = edits.reduce(
    (current, { path, value }) =>
      value === undefined ? removeProperty(current, path) : setProperty(current, path, value),
    text,
  );
  const configuration = parseConfiguration(result, file);
  const document = parseJsonDocument(result);
  return {
    configuration,
    before: exists && isJsonObject(before) ? { configuration: { file, document: before }, rules: [] } : undefined,
    lineOf: (path) => document.placeOf(document.offsetOf(path)).line,
    write: () => {
      if (result === text && exists) return;
      beforeWriting?.(mark + result);
      replaceFile(target, mark + result, exists ? statSync(target).mode : 0o644);
    },
  };
}
