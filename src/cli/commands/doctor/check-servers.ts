import type { CatalogNotice, HiddenTool, ServerSummary } from '../../../catalog/snapshot.ts';
import { isUnmatchedNotice } from '../../../catalog/transforms/shaping/shaping-keys.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { maxToolNameLength, namesOf, parseName } from '../../../core/tools/tool-names.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';
import { openBoxForDiagnosis } from '../../../host/box/open-box.ts';
import { unmatchedPatterns, unmatchedRules } from '../../../host/daemon/name-warnings.ts';
import type { SecretProblem } from '../../../host/secrets/box-secrets.ts';
import { lastOutput } from '../../terminal/last-output.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Starts the servers without writing records, and checks their status, their tools, names in patterns and rules, and the secrets. */
export async function checkServers(configuration: Configuration, secretsFrom: string): Promise<Finding[]> {
  const { box, secretProblems } = await openBoxForDiagnosis(configuration, { secretsFrom });
  const outputOf = (name: string): string => {
    const lines = lastOutput(box.servers.health(name)?.stderr ?? [], 5);
    return lines.length === 0 ? '' : `; its last output: ${lines.join(' / ')}`;
  };
  try {
    const { tools, servers, hidden, notices } = box.catalog();
    return [
      ...checkVariables(configuration.secrets, secretProblems),
      ...servers.map((server) => checkServer(server, outputOf(server.name), configuration.builtinName)),
      ...hidden.flatMap((tool) => checkHidden(tool)),
      ...notices.map((notice) => {
        const isExternal = servers.some(({ name, adapter }) => name === notice.server && adapter.startsWith('mcp:'));
        return warning(`${notice.tool}: ${notice.message}`, fixOfNotice(notice, isExternal, tools));
      }),
      ...unmatchedPatterns(box).map((what) => warning(what, 'correct or remove the pattern')),
      ...(await unmatchedRules(box)).map((what) => warning(what, 'correct or remove the name in the rule')),
    ];
  } finally {
    await box.close();
  }
}

/** Returns a finding for a tool that is hidden by mistake or because its definition changed. */
function checkHidden({ name, server, by, reason }: HiddenTool): Finding[] {
  const what = `${name} is hidden: ${reason}`;
  if (by === 'name-collision') return [problem(what, 'rename one of the tools')];
  if (by === 'lock') return [warning(what, `see the changes with signalbox lock diff ${server}`)];
  if (by !== 'definition-invalid') return [];
  const trust = `trust its schema in mcpServers.${server}.tools.schema`;
  return [warning(what, `report it to the author of server "${server}", or ${trust}`)];
}

function checkServer(server: ServerSummary, output: string, builtinName: string): Finding {
  const { name, status, tools, reason = `server "${server.name}" is down`, required } = server;
  switch (status) {
    case 'up':
      // `serve` adds tools to the built-in server, so a count from here would differ from what it offers.
      return ok(`server "${name}" is up${name === builtinName ? ' (built in)' : `, ${pluralize(tools, 'tool')}`}`);
    case 'disabled':
      if (required !== true) return ok(`server "${name}" is disabled by the configuration`);
      return problem(
        `server "${name}" is required, and disabled by the configuration`,
        `signalbox enable ${name}, or take "required" out of mcpServers.${name}`,
      );
    case 'down':
      return problem(`${required === true ? 'required: ' : ''}${reason}${output}`, fixOfServer(server));
  }
}

function fixOfServer({ name, adapter, connecting, needsSignIn, isFailing }: ServerSummary): string {
  const disable = `set "disabled": true on mcpServers.${name}`;
  if (connecting === true) return `check that it is an MCP server; to continue without it, ${disable}`;
  if (needsSignIn === true) return `signalbox login ${name}`;
  if (isFailing === true) return `try again, or ask its operator; to continue without it, ${disable}`;
  return adapter.startsWith('mcp:')
    ? `correct mcpServers.${name}, or ${disable}`
    : 'correct the module, or its entry in the configuration';
}

function checkVariables(names: readonly string[], problems: readonly SecretProblem[]): Finding[] {
  return names.map((name) => {
    const found = problems.find((one) => one.name === name);
    if (found === undefined) return ok(`secret ${name} is redacted from the records`);
    const { kind, message } = found;
    return kind === 'missing'
      ? warning(`secret: ${message}`, `set ${name}, or remove it from "secrets"`)
      : problem(message, `give ${name} a longer value, or remove it from "secrets"`);
  });
}

/** Returns what to do about a notice. A tool of an external server cannot be changed here, only renamed or hidden. */
export function fixOfNotice(
  { server, tool, message }: CatalogNotice,
  isExternal: boolean,
  tools: readonly ToolDefinition[] = [],
): string {
  const section = `mcpServers.${server}.tools`;
  if (isUnmatchedNotice(message)) return `correct it in ${section}, or take it out`;
  if (message.includes('("passthrough")'))
    return `remove "passthrough" from mcpServers.${server} if policies should apply to its calls`;
  const definition = tools.find(({ name }) => name === tool);
  const own = definition?.renamedFrom ?? definition?.id.tool ?? parseName(tool)?.tool ?? tool;
  if (/^name ".*" is (?:shortened to|rendered as) "/.test(message) && definition !== undefined) {
    const rename = JSON.stringify({ rename: { [own]: shortName(own, server, tools) } }).slice(1, -1);
    return `rules and calls also accept the full name; for a shorter name, add ${rename} to ${section}`;
  }
  if (!isExternal) return 'change the tool’s definition';
  const deny = `add ${JSON.stringify(own)} to ${section}.deny`;
  if (/^its (?:definition|description) /.test(message))
    return `read its definition; if you do not trust it, ${deny}; else accept it with signalbox lock accept ${server}`;
  return `report it to the author of server "${server}", or ${deny}`;
}

/** Returns a name for a tool that is short enough and that no tool of its server has. */
function shortName(own: string, server: string, tools: readonly ToolDefinition[]): string {
  const taken = new Set(tools.filter(({ id }) => id.server === server).flatMap((tool) => namesOf(tool).all));
  const room = maxToolNameLength - `mcp__${server}__`.length;
  const safe = own.replace(/[^A-Za-z0-9_-]/gu, '_');
  for (let count = 1; ; count += 1) {
    const end = count === 1 ? '' : `_${count}`;
    const name = safe.slice(0, room - end.length).replace(/[_-]+$/, '') + end;
    if (name !== '' && !taken.has(name)) return name;
  }
}
