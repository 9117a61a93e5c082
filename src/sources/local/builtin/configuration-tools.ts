import * as z from 'zod';
import { SignalboxError } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { type SignalboxTool, defineTool } from '../define-tool.ts';

/** Creates the built-in tools for the configuration. */
export function configurationTools(configuration: ConfigurationFile): SignalboxTool[] {
  return [
    defineTool({
      name: 'get_config',
      description: 'Returns the configuration of Signalbox, whole or at one path, without secrets.',
      input: z.object({
        path: z
          .string()
          .optional()
          .describe('A path, such as "mcpServers.files" or "results.maxBytes"; the whole configuration by default.'),
      }),
      effect: 'read',
      idempotent: true,
      run: (args) => getConfig(configuration, args),
    }),
    defineTool({
      name: 'set_config',
      description:
        'Changes the configuration of Signalbox: limits of servers (timeoutMs, concurrency, idleStopMs), results.maxBytes, or disabled: true to disable a server. Only humans can change everything else.',
      input: z.object({
        path: z.string().describe('The path, such as "mcpServers.files.timeoutMs".'),
        value: z
          // Each branch has a description: without one Zod emits `type` as an array, which some clients reject.
          .union([
            z.number().describe('A limit.'),
            z.boolean().describe('true disables a server.'),
            z.null().describe('The default.'),
          ])
          .describe('The new value; null restores the default.'),
      }),
      effect: 'undoable',
      idempotent: true,
      run: ({ path, value }, { callId }) => setConfig(configuration, { path, value }, callId),
      // Signalbox itself undoes calls that did not complete.
      undo: (_, { callId, principal }) => configuration.undo(callId, principal.kind === 'system'),
    }),
  ];
}

/** A value of the configuration. */
export interface ConfigurationValue {
  readonly file: string;
  readonly path: string;
  readonly value: JsonValue;
}

/** Returns the value at a path of the configuration, or all of it. */
export function getConfig(
  configuration: Pick<ConfigurationFile, 'file' | 'read'>,
  { path = '' }: { readonly path?: string | undefined },
): ConfigurationValue {
  let value: JsonValue = configuration.read();
  const steps = path === '' ? [] : path.split('.');
  for (const [depth, step] of steps.entries()) {
    const keys: string[] = isJsonObject(value) || Array.isArray(value) ? Object.keys(value) : [];
    if (!keys.includes(step)) throw absent(steps.slice(0, depth + 1).join('.'), step, keys);
    value = (value as Readonly<Record<string, JsonValue>>)[step] ?? null;
  }
  return { file: configuration.file, path, value };
}

function absent(path: string, step: string, keys: readonly string[]): SignalboxError {
  const meant = closestMatch(step, keys);
  const hint = meant === undefined ? `the keys here are ${keys.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return new SignalboxError(
    'setting-unknown',
    `nothing is set at ${path.slice(0, 200)}, so its default applies; ${hint}`,
  );
}

interface Setting {
  /** The path; `*` matches one part. */
  readonly path: string;
  /** Returns whether a tool may set this value. */
  fits(value: JsonValue): boolean;
  readonly expects: string;
}

const count = {
  fits: (value: JsonValue) => value === null || typeof value === 'number',
  expects: 'a number, or null for the default',
};
/*
 * All other settings are for humans, in the file: programs and addresses (they run code), effects, labels, workspaces and policies
 * (they decide about approvals and undo), descriptions (other agents read them), secrets, agents and profiles.
 */
const settings: readonly Setting[] = [
  { path: 'mcpServers.*.timeoutMs', ...count },
  { path: 'mcpServers.*.concurrency', ...count },
  { path: 'mcpServers.*.idleStopMs', ...count },
  // A tool cannot turn a server on, since a human may have turned it off for a reason.
  { path: 'mcpServers.*.disabled', fits: (value) => value === true, expects: 'true; only a human can enable a server' },
  { path: 'results.maxBytes', ...count },
];

/** Changes one of the few settings that cannot loosen control; `null` restores the default. Its undo restores the file. */
export function setConfig(
  configuration: Pick<ConfigurationFile, 'file' | 'change'>,
  { path, value }: Omit<ConfigurationValue, 'file'>,
  callId: string,
): ConfigurationValue {
  const steps = path.split('.');
  const setting = settings.find((each) => fitsPath(each.path.split('.'), steps));
  if (setting === undefined) {
    const allowed = settings.map((each) => each.path).join(', ');
    throw refused(
      `tools cannot set ${JSON.stringify(path.slice(0, 200))}, only ${allowed}; a human can change it in ${configuration.file}`,
    );
  }
  if (!setting.fits(value)) throw refused(`${path} takes ${setting.expects}`);
  configuration.change(callId, steps, value ?? undefined);
  return { file: configuration.file, path, value };
}

function fitsPath(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((step, index) => step === '*' || step === path[index]);
}

function refused(message: string): SignalboxError {
  return new SignalboxError('setting-refused', message);
}

/** Access to the configuration file for the built-in tools. */
export interface ConfigurationFile {
  readonly file: string;
  /** Returns the content of the file, with references unresolved and without secrets. */
  read(): JsonObject;
  /**
   * Changes one path in the file (`undefined` deletes it) and stores the previous content for `undo`. Throws without a change when the
   * result is invalid.
   */
  change(callId: string, path: readonly string[], value: JsonValue | undefined): void;
  /**
   * Restores the file to its content before the call. Throws when the file was changed since, or when nothing is stored for the call,
   * unless the call did not finish and may have changed nothing.
   */
  undo(callId: string, isUnfinished: boolean): void;
}
