import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { isLikelySecret } from '../../../config/secrets/secret-detection.ts';
import { effects, isEffect } from '../../../core/tools/tool.ts';
import { suggestion, usageError } from '../../cli-error.ts';

/** The options of `add`. */
export interface AddOptions {
  readonly url?: string;
  readonly type?: 'http' | 'sse';
  readonly header?: readonly string[];
  readonly oauth?: boolean;
  readonly npm?: string;
  readonly module?: string;
  readonly env?: readonly string[];
  readonly workspace?: readonly string[];
  readonly effect?: readonly string[];
  /** Whether to start the server before adding it. */
  readonly check: boolean;
}

/** A server entry, with its transport and warnings. */
export interface NewServerEntry {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly transport: 'stdio' | 'http' | 'sse' | 'module';
  readonly warnings: readonly string[];
}

const usage = 'signalbox add NAME -- COMMAND [ARGS…], or --url URL, --npm PACKAGE@VERSION, --module FILE';

/** Creates the entry of a server. Throws a usage error when the options conflict. */
export function newServerEntry(words: readonly string[], options: AddOptions, directory: string): NewServerEntry {
  const { entry, transport, warnings } = transportSettings(words, options, directory);
  const { workspace = [], effect = [] } = options;
  const missing = workspace.filter((each) => !existsSync(each)).map((each) => `${each} does not exist yet`);
  return {
    entry: {
      ...entry,
      ...(workspace.length > 0 && { workspace: workspace.map((each) => toRelativePath(directory, each)) }),
      ...(effect.length > 0 && { tools: { effect: effectsOf(effect) } }),
    },
    transport,
    warnings: [...warnings, ...missing],
  };
}

/** Returns a path relative to the directory of the configuration. */
function toRelativePath(directory: string, path: string): string {
  const near = relative(directory, resolve(path));
  if (near === '') return '.';
  return near.startsWith('.') || isAbsolute(near) ? near : `./${near}`;
}

function effectsOf(texts: readonly string[]): Record<string, string> {
  const given = pairs('--effect', texts, 'TOOL=EFFECT');
  for (const [tool, effect] of Object.entries(given))
    if (!isEffect(effect)) {
      const { lines = [] } = suggestion(effect, effects);
      const what = `--effect ${tool}=${effect}: unknown effect "${effect}"`;
      throw usageError(what, `use one of ${effects.join(', ')}`, { lines });
    }
  return given;
}

function transportSettings(words: readonly string[], options: AddOptions, directory: string): NewServerEntry {
  const { url, type, header = [], oauth = false, module, env = [] } = options;
  const { npm, command, args } = programOf(words, options);
  const kinds = [command, url, npm, module].filter((kind) => kind !== undefined);
  if (kinds.length !== 1)
    throw usageError(
      kinds.length === 0
        ? 'name a command, an address, a package or a module for the server'
        : 'a server can have only one of these',
      usage,
    );
  if (url === undefined && (header.length > 0 || type !== undefined || oauth))
    throw usageError('--header, --oauth and --type need --url', usage);
  if (command === undefined && npm === undefined && env.length > 0)
    throw usageError('--env needs a command or --npm', usage);

  const variables = pairs('--env', env);
  const headers = pairs('--header', header);
  const warnings = [...secretWarnings('--env', variables), ...secretWarnings('--header', headers)];
  const withEnv = env.length === 0 ? {} : { env: variables };
  if (url !== undefined) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url.replaceAll(/\$\{[^}]*\}/g, 'x')))
      throw usageError(`"${url}" is not an http or https address`, usage);
    const transport = type ?? 'http';
    const auth = oauth ? { auth: { type: 'oauth' } } : {};
    return { entry: { type: transport, url, ...(header.length > 0 && { headers }), ...auth }, transport, warnings };
  }
  if (module !== undefined) {
    const missing = existsSync(module) ? [] : [`${module} does not exist yet`];
    return { entry: { module: toRelativePath(directory, module) }, transport: 'module', warnings: missing };
  }
  if (npm !== undefined) {
    const isPinned = /.@[^@/]+$/.test(npm);
    const loose = isPinned
      ? []
      : [`${npm} has no version, so later versions would run without review; use ${npm}@1.2.3`];
    return {
      entry: { npm, ...(args.length > 0 && { args }), ...withEnv },
      transport: 'stdio',
      warnings: [...warnings, ...loose],
    };
  }
  return { entry: { command, ...(args.length > 0 && { args }), ...withEnv }, transport: 'stdio', warnings };
}

/** Splits the words after `--`. `npm:PACKAGE@VERSION` in place of a command is shorthand for `--npm`. */
function programOf(
  [first, ...args]: readonly string[],
  { npm }: AddOptions,
): { readonly npm?: string | undefined; readonly command?: string | undefined; readonly args: readonly string[] } {
  const isShorthand = first?.startsWith('npm:') === true && npm === undefined;
  return isShorthand ? { npm: first.slice('npm:'.length), args } : { npm, command: first, args };
}

function pairs(option: string, texts: readonly string[], form = 'NAME=VALUE'): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const split = text.indexOf('=');
      if (split < 1) throw usageError(`${option} takes ${form}, not "${text.slice(0, 20)}"`);
      return [text.slice(0, split), text.slice(split + 1)];
    }),
  );
}

function secretWarnings(option: string, texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts)
    .filter(([key, value]) => isLikelySecret(key, value))
    .map(([key]) => {
      const variable = key.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
      return `the value of ${key} looks like a secret and is now in the file as plain text; run signalbox secret set ${variable} and use ${option} '${key}=\${secret:${variable}}'`;
    });
}
