import type { ApprovalInbox } from '../pipeline/approvals/approval-inbox.ts';
import type { ContentBox } from '../pipeline/box-content.ts';
import type { SignalboxEvents } from '../pipeline/box-events.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { PubSub } from '../journal/store/pub-sub.ts';
import type { SessionStore } from '../journal/store/session-store.ts';
import type { TurnBox } from '../runtimes/turn-tools.ts';

/** The part of a Signalbox that sessions use. */
export interface SessionBox extends ContentBox, TurnBox {
  catalog(): CatalogSnapshot;
  on<Name extends keyof SignalboxEvents>(event: Name, listener: (event: SignalboxEvents[Name]) => void): () => void;
  readonly servers: {
    started(options: { readonly profile?: string; readonly signal: AbortSignal }): Promise<void>;
    ready(options: { readonly signal: AbortSignal }): Promise<void>;
  };
  readonly approvals: Pick<ApprovalInbox, 'get' | 'approve' | 'deny'>;
  readonly sessionStore: SessionStore;
  readonly shared: { readonly pubSub: PubSub };
  endSession(session: string): void;
  readonly secrets: { redact(text: string): string };
  secretTail(text: string): number;
}
