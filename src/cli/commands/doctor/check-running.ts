import { pluralize } from '../../../core/text/pluralize.ts';
import { type GlobalOptions } from '../../command-context.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { readRunFiles } from '../../../host/daemon/run-files.ts';
import { isConfigurationOf } from '../../client/connect-to-server.ts';
import { type RunningServerStatus, fetchRunningServerStatus } from '../../client/running-server-status.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks the health of the servers that run on the data directory, since commands talk to them. */
export async function checkRunning(globals: GlobalOptions): Promise<Finding[]> {
  if (globals.local) return [];
  const statuses = await Promise.all(readRunFiles(globals.data).map((server) => fetchRunningServerStatus(server)));
  return statuses.flatMap((status) => findingsOf(status, globals));
}

function findingsOf(server: RunningServerStatus, globals: GlobalOptions): Finding[] {
  const { url, pid, status, problem: reason = status, configuration, tools = 0, servers = [] } = server;
  const what = `server at ${url} (process ${pid})`;
  if (status !== 'ok') return [problem(`${what}: ${reason}`, 'check its output, or restart it')];
  if (configuration !== undefined && !isConfigurationOf(globals, configuration)) {
    const shown = shortPath(configuration);
    return [warning(`${what} runs ${shown}, so commands here work without it`, `add --config ${shown} to talk to it`)];
  }
  const down = servers.filter((behind) => behind.status === 'down');
  return [
    ok(`${what} is ready and offers ${pluralize(tools, 'tool')}; commands go to it`),
    ...down.map((behind) =>
      problem(`at ${url}: ${behind.reason ?? `server "${behind.name}" is down`}`, 'see why: signalbox tools --why'),
    ),
  ];
}
