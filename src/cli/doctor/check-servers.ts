import type { ServerProvenance } from '../../catalog/snapshot.ts';
import type { Configuration } from '../../config/configuration.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { SecretProblem } from '../../host/secrets/configured-secrets.ts';
import { unmatchedPatterns, unmatchedRules } from '../../host/daemon/name-warnings.ts';
import { openBoxForDiagnosis } from '../../host/box/open-box.ts';
import type { Finding } from './finding.ts';
import { fixOfNotice } from './fix-of-notice.ts';

/** Starts the servers, writing nothing, and looks at how they are, at what their tools should be told, and at the secrets. */
export async function checkServers(configuration: Configuration, secretsFrom: string): Promise<Finding[]> {
  const { box, secretProblems } = await openBoxForDiagnosis(configuration, { secretsFrom });
  const lastWords = (name: string): string => {
    const lines = box.servers.health(name)?.stderr.slice(-5) ?? [];
    return lines.length === 0 ? '' : `; the last it wrote: ${lines.join(' / ')}`;
  };
  try {
    const { tools, servers, hidden, notices } = box.catalog();
    return [
      ...checkVariables(configuration.secrets, secretProblems),
      ...servers.map((server) => checkServer(server, lastWords(server.name), configuration.builtinName)),
      ...hidden
        .filter((tool) => tool.by === 'name-collision')
        .map((tool): Finding => ({
          level: 'error',
          what: `${tool.name} is hidden: ${tool.reason}`,
          fix: 'rename one of the tools',
        })),
      ...hidden
        .filter((tool) => tool.by === 'lock')
        .map((tool): Finding => ({
          level: 'warning',
          what: `${tool.name} is hidden: ${tool.reason}`,
          fix: `see the changes with signalbox lock diff ${tool.server}`,
        })),
      ...hidden
        .filter((tool) => tool.by === 'definition-invalid')
        .map((tool): Finding => ({
          level: 'warning',
          what: `${tool.name} is hidden: ${tool.reason}`,
          fix: `report it to the author of server "${tool.server}", or trust its schema in mcpServers.${tool.server}.tools.schema`,
        })),
      ...notices.map((notice): Finding => {
        const isForeign = servers.some(({ name, adapter }) => name === notice.server && adapter.startsWith('mcp:'));
        return {
          level: 'warning',
          what: `${notice.tool}: ${notice.message}`,
          fix: fixOfNotice(notice, isForeign, tools),
        };
      }),
      ...unmatchedPatterns(box).map((what): Finding => ({
        level: 'warning',
        what,
        fix: 'correct the pattern, or take it out',
      })),
      ...(await unmatchedRules(box)).map((what): Finding => ({
        level: 'warning',
        what,
        fix: 'correct the name in the rule, or take it out',
      })),
    ];
  } finally {
    await box.close();
  }
}

function checkServer(server: ServerProvenance, lastWords: string, builtinName: string): Finding {
  const { name, status, tools, reason, required } = server;
  switch (status) {
    case 'up':
      // `serve` adds tools to the built-in server, so a count from here would differ from what it offers.
      if (name === builtinName) return { level: 'ok', what: `server "${name}" is up (built in)` };
      return { level: 'ok', what: `server "${name}" is up, ${pluralize(tools, 'tool')}` };
    case 'disabled':
      if (required === true)
        return {
          level: 'error',
          what: `server "${name}" is required, and disabled by the configuration`,
          fix: `signalbox enable ${name}, or take "required" out of mcpServers.${name}`,
        };
      return { level: 'ok', what: `server "${name}" is disabled by the configuration` };
    case 'down':
      return {
        level: 'error',
        what: `${required === true ? 'required: ' : ''}${reason ?? `server "${name}" is down`}${lastWords}`,
        fix: fixOfServer(server),
      };
  }
}

function fixOfServer({ name, adapter, connecting, needsSignIn, isFailing }: ServerProvenance): string {
  const without = `set "disabled": true on mcpServers.${name}`;
  if (connecting === true) return `see whether it speaks MCP at all; to go on without it, ${without}`;
  if (needsSignIn === true) return `signalbox login ${name}`;
  if (isFailing === true) return `try again, or ask its operator; to go on without it, ${without}`;
  return adapter.startsWith('mcp:')
    ? `correct mcpServers.${name}, or ${without}`
    : 'correct the module, or its entry in the configuration';
}

function checkVariables(names: readonly string[], problems: readonly SecretProblem[]): Finding[] {
  return names.map((name) => {
    const problem = problems.find((one) => one.name === name);
    if (problem === undefined) return { level: 'ok', what: `secret ${name} is kept out of the record` };
    const { kind, message } = problem;
    if (kind === 'missing')
      return { level: 'warning', what: `secret: ${message}`, fix: `set ${name}, or take it out of "secrets"` };
    return { level: 'error', what: message, fix: `give ${name} a longer value, or take it out of "secrets"` };
  });
}
