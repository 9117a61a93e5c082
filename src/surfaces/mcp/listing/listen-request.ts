import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys } from '../../../core/mcp-protocol.ts';
import type { ClientChannel, Peer } from '../requests/request-context.ts';
import type { Changes } from './list-changes.ts';
import type { EndpointBox } from '../endpoint-box.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { WireError, type WireRequest, notificationText, wireCodes } from '../protocol/wire-messages.ts';

/** A client that listens to changes. */
export interface Listening {
  /** Stops; what the request is answered with then. */
  stop(): JsonObject;
}

const listsOf = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
} as const;

/** Tells a client of the 2026 revision of the changes it asked for, and of no others, until it is stopped. */
export async function listen(
  { box, changes }: { readonly box: EndpointBox; readonly changes: Changes },
  { id, params }: WireRequest,
  { principal, view }: Peer,
  channel: ClientChannel,
): Promise<Listening> {
  const wanted = params['notifications'];
  if (!isJsonObject(wanted))
    throw new WireError(wireCodes.params, 'subscriptions/listen needs "notifications": what to tell of');
  const _meta = { [metaKeys.subscriptionId]: id };
  const tell = (method: string, told: JsonObject): void => channel.send(notificationText(method, { ...told, _meta }));
  // The acknowledgement comes first, whatever happens while it is being found out what can be acknowledged.
  let early: string[] | undefined = [];
  const updated = (uri: string): void => tell('notifications/resources/updated', { uri });
  const watched = new ResourceSubscriptions(
    box,
    // The acknowledgement of the others does not wait for an approval.
    () => ({ principal, profile: view.profile, waitMs: 0 }),
    (uri) => (early === undefined ? updated(uri) : early.push(uri)),
  );
  const uris = await watchAll(watched, view, wanted['resourceSubscriptions']);
  const lists = Object.entries(listsOf).filter(([name]) => wanted[name] === true);
  const honored = {
    ...Object.fromEntries(lists.map(([name]) => [name, true])),
    ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
  };
  tell('notifications/subscriptions/acknowledged', { notifications: honored });
  for (const uri of early) updated(uri);
  early = undefined;
  const heard = new Set<string>(lists.map(([, list]) => list));
  const stopListening = changes.listen(view, (list) => {
    if (heard.has(list)) tell(`notifications/${list}/list_changed`, {});
  });
  return {
    stop() {
      stopListening();
      watched.close();
      return { resultType: 'complete', _meta };
    },
  };
}

/** The resources that can be watched, of those that are wanted. */
async function watchAll(watched: ResourceSubscriptions, view: Peer['view'], wanted: unknown): Promise<string[]> {
  const uris = Array.isArray(wanted) ? wanted.filter((uri) => typeof uri === 'string') : [];
  const tried = await Promise.allSettled(uris.map((uri) => watched.watch(view, uri)));
  return uris.filter((_, index) => tried[index]?.status === 'fulfilled');
}
