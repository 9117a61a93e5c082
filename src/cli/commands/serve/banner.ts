import type { PolicySummary } from '../../../pipeline/policies/active-policies.ts';
import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { AgentSummary } from '../../../sessions/sessions.ts';
import type { ImportableServers } from '../../../config/import/prepare-import.ts';
import { shortPath } from '../../../host/data-directory.ts';
import type { ReadyServer } from '../../../host/daemon/run-server.ts';
import { connectCommands } from '../../../server/connect-commands.ts';
import type { ProcessRole } from '../../../server/server-options.ts';
import { runnable } from '../../terminal/invocation.ts';
import type { Printer } from '../../terminal/terminal.ts';

/** The content of the banner. */
export interface BannerFacts extends Omit<ReadyServer, 'port'> {
  readonly role: ProcessRole;
  /** The servers of other clients that could be imported. */
  readonly found: ImportableServers;
}

/** Returns the text that `serve` prints when it is ready. */
export function banner(facts: BannerFacts, { colors }: Pick<Printer, 'colors'>): string {
  const work: [string, string][] = [
    ['Servers', serversLine(facts.box.catalog())],
    ['Agents', agentsLine(facts.sessions.agents())],
  ];
  const rows: [string, string][] =
    facts.role === 'worker' ? [...workerRows(facts), ...work] : webRows(facts, work, colors);
  const heading = `${colors.bold(`Signalbox ${facts.box.version}`)}   ready in ${(facts.startedInMs / 1000).toFixed(1)} s`;
  return `${[heading, ...rows.map(([name, value]) => `  ${name.padEnd(10)} ${value}`)].join('\n')}\n`;
}

/** Rows of a process that answers only probes. */
function workerRows({ url, box }: BannerFacts): [string, string][] {
  return [
    ['Role', `worker: runs turns and jobs   health  ${url}/api/health   metrics  ${url}/metrics`],
    ['Journal', shortPath(box.journal.location)],
  ];
}

function webRows(facts: BannerFacts, work: [string, string][], colors: Printer['colors']): [string, string][] {
  return [
    ...(facts.role === 'web' ? ([['Role', 'web: turns and jobs run in other processes']] as [string, string][]) : []),
    ['Console', `${colors.cyan(facts.signInUrl)} ${colors.dim('(signs in once)')}`],
    ['MCP', `${facts.url}/mcp          API docs  ${facts.url}/docs`],
    ['Journal', shortPath(facts.box.journal.location)],
    ['Tokens', tokensLine(facts, colors.dim)],
    ...work,
    ...foundRow(facts.found),
    ['Connect', connectCommands(facts.url, facts.agentTokenLocation)[0].command],
    ['Policy', policyLine(facts.box.policies.list())],
  ];
}

/** Shows where the tokens are, not their values: terminals are scrolled back, copied and recorded. */
function tokensLine({ adminTokenLocation, agentTokenLocation }: BannerFacts, dim: (text: string) => string): string {
  return `${adminTokenLocation} ${dim('(admin, for scripts)')} · ${agentTokenLocation} ${dim('(for agents)')}${see('token')}`;
}

function policyLine({ rules, code }: PolicySummary): string {
  const otherwise = `reads run · undoable writes ask once in a session · irreversible calls always ask${see('approvals')}`;
  if (rules.length + code.length === 0) return otherwise;
  const files = [...new Set(rules.flatMap(({ at }) => at?.replace(/:\d+$/, '') ?? []))].join(', ');
  const own = `${pluralize(rules.length, 'rule')}${files === '' ? '' : ` of ${files}`}`;
  return `${own} · where none matches: ${otherwise}`;
}

function agentsLine(agents: readonly AgentSummary[]): string {
  return agents
    .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault))
    .map(({ name, runtime, model, isDefault }) => {
      const drivenBy =
        model === 'demo' ? 'no key needed' : [runtime, model].filter((part) => part !== undefined).join(' ');
      return `${name} (${drivenBy}${isDefault ? ', default' : ''})`;
    })
    .join(' · ');
}

function foundRow({ servers, clients }: BannerFacts['found']): [string, string][] {
  if (servers === 0) return [];
  const what = servers === 1 ? 'MCP server' : 'MCP servers';
  return [['Found', `${servers} ${what} in ${clients.join(', ')}${see('import')}`]];
}

function serversLine({ servers, tools }: CatalogSnapshot): string {
  const statuses = servers.map(({ status, connecting }) => (connecting === true ? 'connecting' : status));
  const count = (status: (typeof statuses)[number]): number => statuses.filter((each) => each === status).length;
  const parts = [
    `${count('up')} up`,
    ...(['connecting', 'down', 'disabled'] as const)
      .filter((status) => count(status) > 0)
      .map((status) => `${count(status)} ${status}`),
  ];
  const why = count('down') > 0 ? see('tools --why') : '';
  return `${parts.join(', ')} · ${pluralize(tools.length, 'tool')}${why}`;
}

/** Names the command that shows more. */
function see(command: string): string {
  return `   →  ${runnable(`signalbox ${command}`)}`;
}
