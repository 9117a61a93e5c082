import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import { toEvent } from '../journal/entries/stored-entry.ts';
import type {
  JournalEvent,
  AuthorityChanged,
  TokenRevoked,
  TokenCreated,
  ContentRead,
  ConfigurationChanged,
  ServerChanged,
  Undone,
  UndoStarted,
  CallSettled,
  RuleRevoked,
  ApprovalResolved,
  ApprovalRevealed,
  ApprovalRequested,
  ToolInvoked,
  CallStarted,
} from '../journal/entries/journal-event.ts';
import type { Journal } from '../journal/journal.ts';
import { SignalboxError } from '../core/errors.ts';
import { emitSafely } from '../core/async/emit-safely.ts';

/** The events of a box. Journal events are emitted after their entry is written. */
export interface SignalboxEvents {
  readonly CallStarted: CallStarted;
  readonly ToolInvoked: ToolInvoked;
  readonly ServerChanged: ServerChanged;
  readonly ConfigurationChanged: ConfigurationChanged;
  readonly ContentRead: ContentRead;
  readonly ApprovalRequested: ApprovalRequested;
  readonly ApprovalRevealed: ApprovalRevealed;
  readonly ApprovalResolved: ApprovalResolved;
  readonly RuleRevoked: RuleRevoked;
  readonly CallSettled: CallSettled;
  readonly UndoStarted: UndoStarted;
  readonly Undone: Undone;
  readonly TokenCreated: TokenCreated;
  readonly TokenRevoked: TokenRevoked;
  readonly AuthorityChanged: AuthorityChanged;
  readonly CatalogChanged: CatalogSnapshot;
}

type Listeners = { readonly [Name in keyof SignalboxEvents]: Set<(event: SignalboxEvents[Name]) => void> };

/** Emits events to listeners. Events without listeners are not prepared. */
export class Events {
  readonly #listeners: Listeners = {
    CallStarted: new Set(),
    ToolInvoked: new Set(),
    ServerChanged: new Set(),
    ConfigurationChanged: new Set(),
    ContentRead: new Set(),
    ApprovalRequested: new Set(),
    ApprovalRevealed: new Set(),
    ApprovalResolved: new Set(),
    RuleRevoked: new Set(),
    CallSettled: new Set(),
    UndoStarted: new Set(),
    Undone: new Set(),
    AuthorityChanged: new Set(),
    TokenCreated: new Set(),
    TokenRevoked: new Set(),
    CatalogChanged: new Set(),
  };

  constructor(catalog: Catalog, journal: Journal) {
    catalog.subscribe((snapshot) => {
      for (const listener of this.#listeners.CatalogChanged) emitSafely(listener, snapshot);
    });
    journal.subscribe((entry) => {
      const listeners = this.#listeners[entry.type] as Set<(event: JournalEvent) => void>;
      if (listeners.size === 0) return;
      const event = toEvent(entry);
      for (const listener of listeners) emitSafely(listener, event);
    });
  }

  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof SignalboxEvents>(name: Name, listener: (event: SignalboxEvents[Name]) => void): () => void {
    const listeners = this.#listeners[name];
    if (listeners === undefined) {
      throw new SignalboxError(
        'event-unknown',
        `there is no event "${name}"; expected one of ${Object.keys(this.#listeners).join(', ')}`,
      );
    }
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
}
