import type { LiveEvent } from './live-event.ts';

/** The first parts of the keys of queries that an event makes stale; `*` for all. */
export function staleAfter(live: LiveEvent): readonly string[] {
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
      return staleAfterEntry[live.event.type] ?? [];
  }
}

const staleAfterEntry: Readonly<Partial<Record<string, readonly string[]>>> = {
  ApprovalRequested: ['approvals'],
  ApprovalResolved: ['approvals', 'rules'],
  RuleRevoked: ['rules'],
  CallStarted: ['calls'],
  ToolInvoked: ['calls', 'approvals'],
  CallSettled: ['calls'],
  UndoStarted: ['calls'],
  Undone: ['calls'],
  ServerChanged: ['servers', 'tools', 'lock'],
  ConfigurationChanged: ['*'],
  TokenCreated: ['tokens'],
  TokenRevoked: ['tokens'],
};
