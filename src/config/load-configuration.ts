import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { durationMs } from '../model/duration.ts';
import { messageOf } from '../model/errors.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { ConfigurationProblem } from './configuration-error.ts';
import { defaultConfiguration } from './configuration.ts';
import type { Configuration } from './configuration.ts';
import { findingsOf } from './finding.ts';
import type { Finding } from './finding.ts';
import { parseJsonDocument } from './json-document.ts';
import type { DocumentPath, DocumentPlace, JsonDocument } from './json-document.ts';
import { documentSchema } from './schema.ts';
import { readServerEntry } from './server-entry.ts';
import { showPath } from './shown-value.ts';

/** Reads a configuration file. Throws a `ConfigurationError` that tells everything that is wrong with it. */
export function loadConfiguration(file: string): Configuration {
  return parseConfiguration(readText(file), file);
}

/** Reads the text of a configuration as if it stood in the file. Throws like `loadConfiguration`. */
export function parseConfiguration(text: string, file: string): Configuration {
  const document = parseJsonDocument(text);
  if (document.value === undefined) throw invalid(file, document, document.problems);
  const absolute = resolve(file);
  const { configuration, findings } = readDocument(document, absolute);
  const all = [...document.problems, ...findings];
  if (all.length > 0) throw invalid(file, document, all);
  return configuration;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const problem = { file, line: 0, column: 0, path: '', message: `cannot be read: ${messageOf(error)}` };
    throw new ConfigurationError('configuration-unreadable', [problem], { cause: error });
  }
}

interface DocumentReading {
  readonly configuration: Configuration;
  readonly findings: readonly Finding[];
}

function readDocument(document: JsonDocument, file: string): DocumentReading {
  const { value } = document;
  const directory = dirname(file);
  const defaults = defaultConfiguration(directory);
  const result = documentSchema.safeParse(value);
  const findings = findingsOf(result, value, []).map(explainLater);
  const builtinName = result.data?.builtin?.name ?? defaults.builtinName;

  const readings = Object.entries(entriesOf(value)).map(([name, entry]) => readServerEntry(name, entry, file));
  if (Object.hasOwn(entriesOf(value), builtinName)) findings.push(takenName(builtinName));

  const configuration = {
    file,
    directory,
    servers: readings.flatMap(({ entry }) => entry ?? []),
    policies: policiesOf(result.data?.policies, document, file),
    store: result.data?.store ?? defaults.store,
    results: { maxBytes: result.data?.results?.maxBytes ?? defaults.results.maxBytes },
    undo: result.data?.undo ?? defaults.undo,
    approvals: {
      expireAfterMs: durationMs(result.data?.approvals?.expireAfter ?? '') ?? defaults.approvals.expireAfterMs,
    },
    builtinName,
    secrets: [...new Set(result.data?.secrets)],
    warnings: readings.flatMap(({ warnings }) => warnings),
  };
  return { configuration, findings: [...findings, ...readings.flatMap((reading) => reading.findings)] };
}

function policiesOf(given: unknown, document: JsonDocument, file: string): Configuration['policies'] {
  if (typeof given === 'string') return { path: resolve(dirname(file), given), name: given };
  if (given === undefined) return undefined;
  const placeOf = (path: DocumentPath): DocumentPlace => document.placeOf(document.offsetOf(['policies', ...path]));
  return { value: given, file: basename(file), path: file, placeOf };
}

/** The server entries, also of a document that has mistakes elsewhere. */
function entriesOf(value: unknown): object {
  const isHolder = typeof value === 'object' && value !== null && 'mcpServers' in value;
  const entries = isHolder ? value.mcpServers : undefined;
  return typeof entries === 'object' && entries !== null && !Array.isArray(entries) ? entries : {};
}

function takenName(name: string): Finding {
  const hint = 'rename it, or give the built-in server another name with "builtin.name"';
  return { path: ['mcpServers', name], message: 'the name belongs to the built-in server', hint };
}

const LATER = new Set<unknown>(['profiles', 'agents']);

/** Keys that are documented for a later version would be mistaken for typing errors. */
function explainLater(finding: Finding): Finding {
  const [key] = finding.path;
  const isLater = finding.path.length === 1 && LATER.has(key);
  return isLater ? { path: finding.path, message: 'not supported by this version yet' } : finding;
}

function invalid(file: string, document: JsonDocument, findings: readonly Finding[]): ConfigurationError {
  const offsets = new Map(findings.map((finding) => [finding, finding.offset ?? document.offsetOf(finding.path)]));
  const problems = [...offsets]
    .toSorted(([, a], [, b]) => a - b)
    .map(([finding, offset]) => problemOf(file, finding, document.placeOf(offset)));
  return new ConfigurationError('configuration-invalid', problems);
}

function problemOf(file: string, { path, message, hint }: Finding, place: DocumentPlace): ConfigurationProblem {
  const { line, column } = place;
  return { file, line, column, path: showPath(path), message, ...(hint !== undefined && { hint }) };
}
