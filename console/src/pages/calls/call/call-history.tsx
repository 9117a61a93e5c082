import type { ReactNode } from 'react';
import type { JournalEntry } from '../../../api/schema.ts';
import { Timestamp } from '../../../components/time.tsx';
import { principalName } from '../../../components/calls/principal-name.tsx';

/** The journal entries of a call, oldest first. */
export function CallHistory({ entries }: { readonly entries: readonly JournalEntry[] }): ReactNode {
  return (
    <ol className="call-history">
      {entries.map((entry) => (
        <li key={entry.seq}>
          <span className="faint">
            <Timestamp at={entry.at} />
          </span>
          <span>{wordsFor(entry)}</span>
          <code className="faint" title={`Entry ${entry.seq} of the hash chain`}>
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
      return 'started';
    case 'ToolInvoked':
      return `ended: ${entry.outcome}`;
    case 'ApprovalRequested':
      return `approval requested: ${entry.decision.reason}`;
    case 'ApprovalRevealed':
      return `hidden parts revealed by ${entry.by.id}`;
    case 'ApprovalResolved':
      return `${entry.decision} by ${principalName(entry.by)}${entry.reason === undefined ? '' : `: ${entry.reason}`}`;
    case 'CallSettled':
      return `settled as ${entry.as} by ${principalName(entry.by)}`;
    case 'UndoStarted':
      return `undo started by ${principalName(entry.principal)}`;
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
