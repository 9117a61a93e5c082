import type { Requirement, RequirementId } from './requirements/requirement.ts';
import { inProcessTools } from './requirements/in-process-tools.ts';
import { externalServers } from './requirements/external-servers.ts';
import { callsUnderControl } from './requirements/calls-under-control.ts';
import { agentsAndSessions } from './requirements/agents-and-sessions.ts';
import { mcpEndpoint } from './requirements/mcp-endpoint.ts';
import { consoleAndCommandLine } from './requirements/console-and-command-line.ts';
import { machinesFaultsAttackers } from './requirements/machines-faults-attackers.ts';
import { attacks } from './requirements/attacks.ts';

/** Every promise of Signalbox. `npm run requirements` lists the open ones. */
export const requirements: Readonly<Record<RequirementId, Requirement>> = {
  ...inProcessTools,
  ...externalServers,
  ...callsUnderControl,
  ...agentsAndSessions,
  ...mcpEndpoint,
  ...consoleAndCommandLine,
  ...machinesFaultsAttackers,
  ...attacks,
};
