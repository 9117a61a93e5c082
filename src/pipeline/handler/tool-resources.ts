import type { ToolContext, ToolResources } from '../../core/tools/tool-context.ts';
import type { BoxContent } from '../box-content.ts';

/** The part of a box that tools read resources from. */
export type ResourceBox = Pick<BoxContent, 'resources'>;

/** The call whose tool reads resources. */
type ReadingCall = Pick<ToolContext, 'profile' | 'principal' | 'session' | 'signal' | 'client'> & {
  readonly isOver: boolean;
};

/** Returns the resources that the tool of a call sees: those that the caller's profile shows, read on behalf of the caller. */
export function toolResources(box: ResourceBox, call: ReadingCall): ToolResources {
  const { profile, principal, session } = call;
  return {
    list: () => box.resources.list({ profile }),
    templates: () => box.resources.templates({ profile }),
    async read(server, uri) {
      if (call.isOver) throw new Error('the call is over');
      return await box.resources.read(server, uri, {
        profile,
        principal,
        session,
        signal: call.signal,
        client: call.client,
      });
    },
  };
}
