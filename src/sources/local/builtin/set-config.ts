import { SignalboxError } from '../../../core/errors.ts';
import type { JsonValue } from '../../../core/json/json.ts';
import type { ConfigurationBook } from './configuration-book.ts';

/** What `set_config` takes: a path like `results.maxBytes`; `null` brings the default back. */
export interface SetConfigArguments {
  readonly path: string;
  readonly value: JsonValue;
}

interface Setting {
  /** A `*` stands for one part of the path. */
  readonly path: string;
  /** Says whether the value is one that a tool may set. */
  fits(value: JsonValue): boolean;
  readonly expects: string;
}

const count = {
  fits: (value: JsonValue) => value === null || typeof value === 'number',
  expects: 'a number, or null for the default',
};
/*
 * What is not listed is for humans, in the file: programs and addresses (they run code), effects, labels, workspaces and policies
 * (they say what is asked about and can be undone), descriptions (they speak to other agents), secrets, agents and profiles.
 */
const settings: readonly Setting[] = [
  { path: 'mcpServers.*.timeoutMs', ...count },
  { path: 'mcpServers.*.concurrency', ...count },
  { path: 'mcpServers.*.idleStopMs', ...count },
  // On is another matter: a human may have turned it off for a reason.
  { path: 'mcpServers.*.disabled', fits: (value) => value === true, expects: 'true; only a human turns a server on' },
  { path: 'results.maxBytes', ...count },
];

/** Changes the configuration in one of the few places where that cannot loosen anything. Its undo restores the file. */
export function setConfig(
  configuration: Pick<ConfigurationBook, 'file' | 'change'>,
  { path, value }: SetConfigArguments,
  callId: string,
): { readonly file: string; readonly path: string; readonly value: JsonValue } {
  const steps = path.split('.');
  const setting = settings.find((each) => fitsPath(each.path.split('.'), steps));
  if (setting === undefined) {
    const allowed = settings.map((each) => each.path).join(', ');
    throw refused(
      `${path.slice(0, 200)} is not for tools to set, only ${allowed}; a human can, in ${configuration.file}`,
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
