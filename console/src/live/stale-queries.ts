import type { LiveEvent } from './live-event.ts';

/** Returns the first key parts of the queries that an event makes stale; `*` for all. */
export function staleQueryKeys(live: LiveEvent): readonly string[] {
  switch (live.kind) {
    case 'ready':
      return ['*'];
    case 'session':
      return ['sessions', 'elicitations'];
    case 'catalog':
      return ['tools', 'resources', 'prompts', 'servers', 'lock', 'info'];
    case 'approval':
      return ['approvals'];
    case 'journal':
      return staleByEntryType[live.event.type] ?? [];
  }
}

const staleByEntryType: Readonly<Partial<Record<string, readonly string[]>>> = {
  ApprovalRequested: ['approvals'],
  ApprovalResolved: ['approvals', 'rules'],
  RuleRevoked: ['rules'],
  CallStarted: ['calls'],
  ToolInvoked: ['calls', 'approvals'],
  CallSettled: ['calls'],
  UndoStarted: ['calls'],
  Undone: ['calls', 'undone'],
  ServerChanged: ['servers', 'tools', 'lock'],
  ConfigurationChanged: ['*'],
  TokenCreated: ['tokens'],
  TokenRevoked: ['tokens'],
};
