import type { Store } from '../../journal/store/store.ts';
import type { EndpointServices } from './requests/call-tool.ts';
import type { AbortSignalLike } from '../../core/async/light-abort-signal.ts';
import type { ClientChannel, Peer } from './requests/request-context.ts';
import { ListChangeNotifier } from './listing/list-changes.ts';
import { ConversationRegistry } from './sessions/conversation-registry.ts';
import type { McpBox } from './mcp-box.ts';
import { type RecentClient, parseEnvelope } from './protocol/client-info.ts';
import { LegacySession } from './sessions/legacy-session.ts';
import { type ChangeSubscription, listen } from './listing/listen-request.ts';
import { type MethodHandler, findMethod, isListMethod, listPage } from './requests/methods.ts';
import { Relay } from './sessions/relay.ts';
import { type RequestRound, MultiRoundRequests } from './sessions/multi-round-requests.ts';
import { CatalogView } from './listing/catalog-view.ts';
import {
  type Answer,
  type Prepared,
  Refusal,
  WireError,
  type WireRequest,
  wireCodes,
} from './protocol/wire-messages.ts';

/** Options of `McpEndpoint`. */
export interface EndpointOptions {
  readonly box: McpBox;
  /** Returns the address of the console, where people approve calls. Unknown before the server listens. */
  readonly inbox?: () => string | undefined;
  /** The time for which a call waits for a human before it ends as `awaiting-approval` (default 50 s). */
  readonly approvalWaitMs?: number;
  /** The store that processes share, so that each of them can serve any request. */
  readonly shared?: Pick<Store, 'keyValues' | 'pubSub'>;
}

/** Less than the 60 s after which most clients give up, so that they learn the state of their call. */
const defaultApprovalWaitMs = 50_000;

/** Serves a box as an MCP server, to clients of every revision, over any transport. */
export class McpEndpoint {
  readonly shared: EndpointOptions['shared'];
  /** The link to other processes; absent without a shared store. */
  readonly relay: Relay | undefined;
  readonly #options: EndpointOptions;
  readonly #changes: ListChangeNotifier;
  readonly #rounds: MultiRoundRequests;
  readonly #conversations: ConversationRegistry;
  readonly #views = new Map<string, CatalogView>();
  readonly #everything: CatalogView;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.shared = options.shared;
    this.relay = options.shared === undefined ? undefined : new Relay(options.shared.pubSub);
    this.#rounds = new MultiRoundRequests(this.relay);
    this.#conversations = new ConversationRegistry({ keyValues: options.shared?.keyValues });
    this.#changes = new ListChangeNotifier(options.box);
    this.#everything = new CatalogView(options.box, undefined);
  }

  /** Returns the view of a profile. Throws `profile-unknown` when the profile does not exist. */
  view(profile: string | undefined): CatalogView {
    if (profile === undefined) return this.#everything;
    const known = this.#views.get(profile);
    if (known?.exists === true) return known;
    // Throws for an unknown profile, with a suggestion.
    this.#options.box.tools({ profile });
    const view = new CatalogView(this.#options.box, profile);
    this.#views.set(profile, view);
    return view;
  }

  /** Creates a session for a client of a revision before 2026-07-28. */
  session(peer: Peer, channel: ClientChannel): LegacySession {
    return new LegacySession(this.#services(), this.#changes, peer, channel);
  }

  /** Serves a request of revision 2026-07-28. `gone` is aborted when the client is gone. */
  serve(request: WireRequest, peer: Peer, channel: ClientChannel, gone?: AbortSignalLike): Answer | Promise<Answer> {
    const envelope = parseEnvelope(request.params);
    const session = this.#conversations.of(peer, envelope.client);
    const serve = (known: string): Answer | Promise<Answer> =>
      this.#serveIn({ ...request, peer, envelope, session: known, channel, gone, waitMs: this.#approvalWaitMs });
    return typeof session === 'string' ? serve(session) : session.then(serve);
  }

  #serveIn(round: RequestRound): Answer | Promise<Answer> {
    const { method, params, peer, gone } = round;
    if (method === 'server/discover') return peer.view.listing.discovery();
    if (isListMethod(method)) {
      const page = (): Prepared => listPage(method, params, peer, true);
      const starting = peer.view.awaitStartup(gone);
      return starting === undefined ? page() : starting.then(page);
    }
    const serveMethod = requireMethod(method);
    return this.#rounds.serve(round, (context) => serveMethod(this.#services(), params, context));
  }

  /** Notifies a client of revision 2026-07-28 of changes until it is stopped. */
  async listen(request: WireRequest, peer: Peer, channel: ClientChannel): Promise<ChangeSubscription> {
    parseEnvelope(request.params);
    return await listen({ box: this.#options.box, changes: this.#changes }, request, peer, channel);
  }

  /** Returns the recent clients of revision 2026-07-28, which have no sessions. */
  clients(): RecentClient[] {
    return this.#conversations.clients();
  }

  /** Aborts the requests that wait for clients. The box stays open. */
  close(): void {
    this.#rounds.close();
    this.relay?.close();
    this.#changes.close();
  }

  get #approvalWaitMs(): number {
    return this.#options.approvalWaitMs ?? defaultApprovalWaitMs;
  }

  #services(): EndpointServices {
    const { box, inbox } = this.#options;
    return { box, inbox: inbox?.(), approvalWaitMs: this.#approvalWaitMs };
  }
}

function requireMethod(method: string): MethodHandler {
  try {
    return findMethod(method);
  } catch (error) {
    if (error instanceof WireError) throw new Refusal(404, wireCodes.method, error.message);
    throw error;
  }
}
