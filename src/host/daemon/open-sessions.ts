import type { SessionsOptions } from '../../sessions/create-sessions.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Refusal } from '../../sessions/turns.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';
import { tokenRefusal } from './token-refusal.ts';

/** Opens the sessions of a box with the agents of its configuration; what waits in them is taken up when all is ready. */
export async function openSessions(
  configured: ConfiguredBox,
  options: Pick<SessionsOptions, 'ready' | 'turnsAtOnce'> = {},
): Promise<Sessions> {
  const [agents, { createSessions }] = await Promise.all([
    configured.agents(),
    import('../../sessions/create-sessions.ts'),
  ]);
  const { box } = configured;
  const refusal: Refusal = (by) => tokenRefusal(box.tokens, by);
  return await createSessions({ box, agents, refusal, ...options });
}
