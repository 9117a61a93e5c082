import type { Store } from '../../journal/store/store.ts';
import type { EndpointServices } from './requests/call-tool.ts';
import type { AbortSignalLike } from '../../core/async/light-abort-signal.ts';
import type { RequestContext, ClientChannel, Peer } from './requests/request-context.ts';
import { Changes } from './listing/list-changes.ts';
import { Conversations } from './sessions/conversation-registry.ts';
import type { EndpointBox } from './endpoint-box.ts';
import { type SeenClient, parseEnvelope } from './protocol/client-info.ts';
import { LegacySession } from './sessions/legacy-session.ts';
import { type Listening, listen } from './listing/listen-request.ts';
import { isListMethod, listPage, methodOf } from './requests/methods.ts';
import { Relay } from './sessions/relay.ts';
import { type Round, Rounds } from './sessions/multi-round-requests.ts';
import { View } from './listing/catalog-view.ts';
import {
  type Answer,
  type Prepared,
  Refusal,
  WireError,
  type WireRequest,
  wireCodes,
} from './protocol/wire-messages.ts';

/** What an endpoint is made of. */
export interface McpEndpointOptions {
  readonly box: EndpointBox;
  /** Where people answer what waits for them; told to whoever must wait. Not known before the server listens. */
  readonly inbox?: () => string | undefined;
  /** How long a call waits for a human before it ends by saying where people answer (50 s). */
  readonly approvalWaitMs?: number;
  /** What processes that serve the same clients share, so that each of them can answer any request. */
  readonly shared?: Pick<Store, 'keyValues' | 'pubSub'>;
}

/** The usual client gives up after 60 s, and should hear before that where its call stands. */
const usualApprovalWaitMs = 50_000;

/** The box as an MCP server, for clients of every revision, over whatever transport. */
export class McpEndpoint {
  readonly shared: McpEndpointOptions['shared'];
  /** The way to other processes, where there is one. */
  readonly relay: Relay | undefined;
  readonly #options: McpEndpointOptions;
  readonly #changes: Changes;
  readonly #rounds: Rounds;
  readonly #conversations: Conversations;
  readonly #views = new Map<string, View>();
  readonly #everything: View;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
    this.shared = options.shared;
    this.relay = options.shared === undefined ? undefined : new Relay(options.shared.pubSub);
    this.#rounds = new Rounds(this.relay);
    this.#conversations = new Conversations({ keyValues: options.shared?.keyValues });
    this.#changes = new Changes(options.box);
    this.#everything = new View(options.box, undefined);
  }

  /** What clients of a profile see. Throws `profile-unknown` when there is no such profile. */
  view(profile: string | undefined): View {
    if (profile === undefined) return this.#everything;
    const known = this.#views.get(profile);
    if (known?.exists === true) return known;
    // The catalog refuses what it does not have, and says what may be meant.
    this.#options.box.tools({ profile });
    const view = new View(this.#options.box, profile);
    this.#views.set(profile, view);
    return view;
  }

  /** A conversation in a revision with sessions. */
  session(peer: Peer, channel: ClientChannel): LegacySession {
    return new LegacySession(this.#parts(), this.#changes, peer, channel);
  }

  /** Serves a request of the 2026 revision. `gone` is aborted when its client is. */
  serve(request: WireRequest, peer: Peer, channel: ClientChannel, gone?: AbortSignalLike): Answer | Promise<Answer> {
    const envelope = parseEnvelope(request.params);
    const session = this.#conversations.of(peer, envelope.client);
    const serve = (known: string): Answer | Promise<Answer> =>
      this.#serveIn({ ...request, peer, envelope, session: known, channel, gone });
    return typeof session === 'string' ? serve(session) : session.then(serve);
  }

  #serveIn(round: Round): Answer | Promise<Answer> {
    const { method, params, peer, gone } = round;
    if (method === 'server/discover') return peer.view.listing.discovery();
    if (isListMethod(method)) {
      const page = (): Prepared => listPage(method, params, peer, true);
      const starting = peer.view.awaitStartup(gone);
      return starting === undefined ? page() : starting.then(page);
    }
    const serveMethod = existing(method);
    return this.#rounds.serve(round, (caller: RequestContext) => serveMethod(this.#parts(), params, caller));
  }

  /** Tells a client of the 2026 revision of changes, until it is stopped. */
  async listen(request: WireRequest, peer: Peer, channel: ClientChannel): Promise<Listening> {
    parseEnvelope(request.params);
    return await listen({ box: this.#options.box, changes: this.#changes }, request, peer, channel);
  }

  /** The clients without sessions that were heard of not long ago. */
  clients(): SeenClient[] {
    return this.#conversations.clients();
  }

  /** Ends what waits for clients. The box stays open. */
  close(): void {
    this.#rounds.close();
    this.relay?.close();
    this.#changes.close();
  }

  #parts(): EndpointServices {
    const { box, inbox, approvalWaitMs = usualApprovalWaitMs } = this.#options;
    return { box, inbox: inbox?.(), approvalWaitMs };
  }
}

function existing(method: string): ReturnType<typeof methodOf> {
  try {
    return methodOf(method);
  } catch (error) {
    if (error instanceof WireError) throw new Refusal(404, wireCodes.method, error.message);
    throw error;
  }
}
