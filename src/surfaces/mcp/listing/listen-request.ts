import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys } from '../../../core/mcp-protocol.ts';
import type { ClientChannel, Peer } from '../requests/request-context.ts';
import type { ListChangeNotifier } from './list-changes.ts';
import type { McpBox } from '../mcp-box.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { WireError, type WireRequest, notificationText, wireCodes } from '../protocol/wire-messages.ts';

/** A client’s subscription to changes. */
export interface ChangeSubscription {
  /** Stops; returns the result of the request. */
  stop(): JsonObject;
}

const listsOf = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
} as const;

/** Serves `subscriptions/listen`: notifies a client of revision 2026-07-28 of the requested changes until it is stopped. */
export async function listen(
  { box, changes }: { readonly box: McpBox; readonly changes: ListChangeNotifier },
  { id, params }: WireRequest,
  { principal, view }: Peer,
  channel: ClientChannel,
): Promise<ChangeSubscription> {
  const wanted = params['notifications'];
  if (!isJsonObject(wanted)) throw new WireError(wireCodes.params, 'subscriptions/listen needs "notifications"');
  const _meta = { [metaKeys.subscriptionId]: id };
  const notify = (method: string, content: JsonObject): void =>
    channel.send(notificationText(method, { ...content, _meta }));
  // Updates that arrive before the acknowledgement are sent after it.
  let early: string[] | undefined = [];
  const updated = (uri: string): void => notify('notifications/resources/updated', { uri });
  const watched = new ResourceSubscriptions(
    box,
    // The acknowledgement must not wait for an approval.
    () => ({ principal, profile: view.profile, waitMs: 0 }),
    (uri) => (early === undefined ? updated(uri) : early.push(uri)),
  );
  const uris = await watchAll(watched, view, wanted['resourceSubscriptions']);
  const lists = Object.entries(listsOf).filter(([name]) => wanted[name] === true);
  const honored = {
    ...Object.fromEntries(lists.map(([name]) => [name, true])),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
  notify('notifications/subscriptions/acknowledged', { notifications: honored });
  for (const uri of early) updated(uri);
  early = undefined;
  const subscribed = new Set<string>(lists.map(([, list]) => list));
  const stopListening = changes.listen(view, (list) => {
    if (subscribed.has(list)) notify(`notifications/${list}/list_changed`, {});
  });
  return {
    stop() {
      stopListening();
      watched.close();
      return { resultType: 'complete', _meta };
    },
  };
}

/** Subscribes to the requested resources; returns those that succeeded. */
async function watchAll(watched: ResourceSubscriptions, view: Peer['view'], wanted: unknown): Promise<string[]> {
  const uris = Array.isArray(wanted) ? wanted.filter((uri) => typeof uri === 'string') : [];
  const tried = await Promise.allSettled(uris.map((uri) => watched.watch(view, uri)));
  return uris.filter((_, index) => tried[index]?.status === 'fulfilled');
}
