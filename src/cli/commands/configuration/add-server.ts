import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import { type Configuration, type ServerEntry, defaultConfiguration } from '../../../config/configuration.ts';
import { prepareEdit } from '../../../config/file/edit-configuration.ts';
import { fittingName } from '../../../config/import/plan-import.ts';
import { messageOf } from '../../../core/errors.ts';
import { assertServerName } from '../../../core/tools/tool-names.ts';
import { ConfigurationTrust } from '../../../config/trust/configuration-trust.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { openBoxForDiagnosis } from '../../../host/box/open-box.ts';
import { unmatchedKeys } from '../../../host/daemon/name-warnings.ts';
import { CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { printable } from '../../terminal/escape.ts';
import { runnable } from '../../terminal/invocation.ts';
import { lastOutput } from '../../terminal/last-output.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import type { Printer, Terminal } from '../../terminal/terminal.ts';
import { printTools, savePins } from '../calls/tools.ts';
import { applyUserEdit, entryLine, reportChange } from './apply-edit.ts';
import { type AddOptions, newServerEntry } from './new-server-entry.ts';
import { formatLocation, targetConfiguration } from './target-configuration.ts';

/** Adds a server to the configuration, after starting it once unless `--no-check` is given. */
export async function addServer(
  name: string,
  words: readonly string[],
  options: AddOptions,
  globals: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  assertName(name);
  const target = targetConfiguration(globals);
  const { file } = target;
  if (target.names.includes(name)) {
    const place = formatLocation(file, target.lineOf(name));
    throw new CliError(2, 'server-exists', `the configuration already has a server "${name}": ${place}`, {
      data: { file, line: target.lineOf(name) },
      next: `signalbox remove ${name}, or choose another name`,
    });
  }
  const { entry, transport, warnings: own } = newServerEntry(words, options, target.directory);
  const edits = [{ path: ['mcpServers', name], value: entry }];
  let tried: TriedServer | undefined;
  if (options.check) {
    const { configuration } = prepareEdit(file, edits);
    tried = await new ProgressLine(terminal.errors).during(`starting "${name}"`, () =>
      tryServer(name, configuration, globals),
    );
  }
  const edited = await applyUserEdit(globals, file, edits);
  if (tried !== undefined) {
    await savePins(edited.configuration, globals, tried.firstSeen, terminal.errors);
  }
  const warnings = [...own, ...(tried?.unmatched ?? []), ...(edited.note === undefined ? [] : [edited.note])];
  const change = {
    action: 'added',
    server: name,
    file,
    line: entryLine(edited, name),
    created: !target.exists,
    warnings,
    ...(tried === undefined ? {} : { tools: tried.tools.map(({ name: tool, effect }) => ({ name: tool, effect })) }),
  } as const;
  await reportChange(change, `added "${name}" (${transport})`, globals.json, terminal);
  if (tried !== undefined && !globals.json) await printStartedServer(name, tried, terminal.output);
}

/** Throws an error about the argument, which the configuration would report for the line that the entry gets. */
function assertName(name: string): void {
  try {
    assertServerName(name);
  } catch (error) {
    throw new CliError(2, 'name-invalid', messageOf(error), {
      next: `use another name, such as ${fittingName(name)}`,
      cause: error,
    });
  }
}

async function printStartedServer(name: string, tried: TriedServer, output: Printer): Promise<void> {
  if (tried.needsSignIn)
    return output.print(
      `it needs you to sign in before it lists its tools; next: ${runnable(`signalbox login ${name}`)}\n`,
    );
  const { tools } = tried;
  await output.print(`it started, and has ${pluralize(tools.length, 'tool')}${tools.length === 0 ? '' : ':'}\n`);
  if (tools.length === 0) return;
  await printTools(output, tried);
}

/** A server that was started for a check. */
interface TriedServer extends Pick<CatalogSnapshot, 'tools' | 'notices'> {
  /** Whether it lists its tools only after a sign-in. */
  readonly needsSignIn: boolean;
  /** The text of its first pin, by its name. */
  readonly firstSeen: ReadonlyMap<string, string>;
  /** Names in its entry that match none of its tools. */
  readonly unmatched: readonly string[];
}

/** The start timeout, which includes a download by npx. */
const startTimeoutMs = 90_000;
const maxOutputLines = 10;

/**
 * Starts one server of a configuration, lists its tools and stops it, without writing records. Ignores the rest of the configuration,
 * which the user may not have accepted. Rejects with `server-down` when it cannot be used.
 */
async function tryServer(name: string, configuration: Configuration, { data }: GlobalOptions): Promise<TriedServer> {
  const { directory, file, servers } = configuration;
  const alone: Configuration = {
    ...defaultConfiguration(directory),
    file,
    servers: servers.filter((entry) => entry.name === name),
  };
  const trust = new ConfigurationTrust({ data, trusted: 'all' });
  const { box } = await openBoxForDiagnosis(alone, { secretsFrom: data, trust, waitMs: startTimeoutMs });
  try {
    const { tools, notices, servers: states } = box.catalog();
    const state = states.find((each) => each.name === name);
    const needsSignIn = state?.needsSignIn === true;
    if (state?.status !== 'up' && !needsSignIn) {
      const late = `it had not finished its start after ${startTimeoutMs / 1000} s; check that it speaks MCP`;
      const reason = state?.connecting === true ? late : (state?.reason ?? 'it is down');
      throw startError(alone.servers[0], reason, box.servers.health(name)?.stderr ?? []);
    }
    return {
      tools: tools.filter(({ id }) => id.server === name),
      notices: notices.filter(({ server }) => server === name),
      needsSignIn,
      firstSeen: box.pins.firstSeen(),
      unmatched: unmatchedKeys(box),
    };
  } finally {
    await box.close();
  }
}

function startError(entry: ServerEntry | undefined, reason: string, stderr: readonly string[]): CliError {
  const { name = '' } = entry ?? {};
  const isOpen = entry?.kind === 'external' && entry.transport !== 'stdio' && entry.settings.auth === undefined;
  const last = lastOutput(stderr, maxOutputLines);
  const lines = last.length === 0 ? [] : ['its last output on standard error:', ...last.map((line) => `  ${line}`)];
  const why = reason.replace(`server "${name}" is down: `, '');
  return new CliError(1, 'server-down', `"${name}" was not added: ${why}`, {
    lines: lines.map((line) => printable(line)),
    data: { server: name, stderr: last },
    next: `correct it and run the command again${isOpen ? ' (--oauth if users sign in to it)' : ''}, or add --no-check to save it without starting it`,
  });
}
