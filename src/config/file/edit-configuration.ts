import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import type { Configuration } from '../configuration.ts';
import { replaceFile } from './atomic-file.ts';
import { parseJsonDocument } from './json-document.ts';
import { removeProperty, setProperty } from './json-edit.ts';
import { parseConfiguration } from './load-configuration.ts';

/** One change of a configuration: the value that a place gets, or `undefined` to take it out. */
export interface ConfigurationEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A configuration file as it is now. */
export interface EditedConfiguration {
  readonly configuration: Configuration;
  /** The document before the edit; absent for a file that is new. */
  readonly before: JsonObject | undefined;
  /** The line on which the value at the path begins, counted from 1. */
  lineOf(path: readonly string[]): number;
}

const byteOrderMark = '\ufeff';

/** What stands in a file that is made for its first edit. */
const emptyConfiguration = '{\n  "mcpServers": {}\n}\n';

/** An edit that was checked and is not written yet. */
export interface PreparedEdit extends EditedConfiguration {
  write(): void;
}

/**
 * Changes a configuration file and leaves the rest of it as it was, comments included. When the result could not be
 * used, it throws the `ConfigurationError` and writes nothing. A file that is missing is made. `beforeWriting` is told the new text.
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

/** Returns a configuration file as `editConfiguration` would leave it. Throws like it. */
export function prepareEdit(
  file: string,
  edits: readonly ConfigurationEdit[],
  beforeWriting?: (text: string) => void,
): PreparedEdit {
  const exists = existsSync(file);
  // A link stays a link.
  const target = exists ? realpathSync(file) : file;
  const original = exists ? readFileSync(target, 'utf8') : emptyConfiguration;
  const mark = original.startsWith(byteOrderMark) ? byteOrderMark : '';
  const text = original.slice(mark.length);
  // A text with mistakes of its own has no places to be sure of; loading it tells them.
  const { problems, value: before } = parseJsonDocument(text);
  if (problems.length > 0) parseConfiguration(text, file);
  const result = edits.reduce(
    (current, { path, value }) =>
      value === undefined ? removeProperty(current, path) : setProperty(current, path, value),
    text,
  );
  const configuration = parseConfiguration(result, file);
  const document = parseJsonDocument(result);
  const known = exists && isJsonObject(before) ? before : undefined;
  return {
    configuration,
    before: known,
    lineOf: (path) => document.placeOf(document.offsetOf(path)).line,
    write: () => {
      if (result === text && exists) return;
      beforeWriting?.(mark + result);
      replaceFile(target, mark + result, exists ? statSync(target).mode : 0o644);
    },
  };
}
