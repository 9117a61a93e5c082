import type { ReactNode } from 'react';
import type { JournalEntry } from '../../api/schema.ts';
import { Moment } from '../../parts/moment.tsx';
import { principalName } from '../../parts/principal-name.tsx';

/** Every entry about a call, oldest first. */
export function CallHistory({ entries }: { readonly entries: readonly JournalEntry[] }): ReactNode {
  return (
    <ol className="call-history">
      {entries.map((entry) => (
        <li key={entry.seq}>
          <span className="faint">
            <Moment at={entry.at} />
          </span>
          <span>{wordsFor(entry)}</span>
          <code className="faint" title={`Entry ${entry.seq}, linked to all before it`}>
            #{entry.seq} {entry.hash.slice(0, 12)}
          </code>
        </li>
      ))}
    </ol>
  );
}

function wordsFor(entry: JournalEntry): string {
  switch (entry.type) {
    case 'CallStarted':
      return 'about to run';
    case 'ToolInvoked':
      return `ended: ${entry.outcome}`;
    case 'ApprovalRequested':
      return `a human is asked: ${entry.decision.reason}`;
    case 'ApprovalRevealed':
      return `hidden parts revealed by ${entry.by.id}`;
    case 'ApprovalResolved':
      return `${entry.decision} by ${principalName(entry.by)}${entry.reason === undefined ? '' : `: ${entry.reason}`}`;
    case 'CallSettled':
      return `settled as ${entry.as} by ${principalName(entry.by)}`;
    case 'UndoStarted':
      return `an undo begins, by ${principalName(entry.principal)}`;
    case 'Undone':
      return `${entry.result}${entry.error === undefined ? '' : `: ${entry.error}`}`;
    case 'ServerChanged':
    case 'ConfigurationChanged':
    case 'ContentRead':
    case 'RuleRevoked':
    case 'TokenCreated':
    case 'TokenRevoked':
    case 'AuthorityChanged':
      return entry.type;
  }
}
