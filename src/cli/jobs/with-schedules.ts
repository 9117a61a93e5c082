import type { Principal } from '../../core/principal.ts';
import type { Schedules } from '../../sessions/schedules.ts';
import type { Globals } from '../globals.ts';
import { loadHost } from '../../host/load-host.ts';
import { localUser } from '../../access/local-user.ts';

/** Opens the schedules of the configuration in this process, passes them to `use`, and closes them. No job runs meanwhile. */
export async function withSchedules<Result>(
  globals: Globals,
  use: (schedules: Schedules, owner: Principal) => Promise<Result>,
): Promise<Result> {
  const { openConfiguredBox, readConfiguration } = await loadHost();
  const [{ openSessions }, { openSchedules }] = await Promise.all([
    import('../../host/daemon/open-sessions.ts'),
    import('../../host/daemon/open-sessions.ts'),
  ]);
  const { configuration } = readConfiguration(globals);
  const { data } = globals;
  const configured = await openConfiguredBox({ ...configuration, servers: [] }, { data, secretsFrom: data });
  try {
    const sessions = await openSessions(configured, { turnsAtOnce: 0 });
    const schedules = openSchedules(configured.box, sessions, { runs: false });
    try {
      return await use(schedules, localUser());
    } finally {
      await schedules.close();
      await sessions.close();
    }
  } finally {
    await configured.close();
  }
}
