import { type ReactNode, useState } from 'react';
import { PageHead } from '../../app/page-head.tsx';
import { useForbiddenReason } from '../../app/current-user.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../../components/button.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NewSession } from './new-session.tsx';
import { SessionList } from './session-list.tsx';
import { useSessionList } from './use-session-list.ts';
import './sessions.css';

/** The list of agent sessions. */
export function SessionsPage(): ReactNode {
  const [isNew, setNew] = useState(false);
  const [search, setSearch] = useState('');
  const { sessions, error, isComplete, loadMore, retry } = useSessionList(search !== '');
  const canCreate = useForbiddenReason('POST /api/sessions') === undefined;
  useShortcut('n', 'New session', () => setNew(true), { isOn: canCreate });
  const words = search.toLowerCase();
  const shown = sessions?.filter(({ title, agent, cwd }) => `${title} ${agent} ${cwd}`.toLowerCase().includes(words));
  return (
    <div className="page">
      <PageHead title="Sessions" about="Conversations with agents. Every tool call passes through Signalbox.">
        <Button operation="POST /api/sessions" kind="primary" icon="plus" shortcut="n" onClick={() => setNew(true)}>
          New session
        </Button>
      </PageHead>
      {error === null ? undefined : <ProblemNote error={error} onRetry={retry} />}
      {sessions !== undefined && sessions.length > 5 ? (
        <SearchField label="Search sessions" value={search} onChange={setSearch} />
      ) : undefined}
      {shown === undefined || shown.length === 0 ? undefined : (
        <SessionList sessions={shown} isWhole={isComplete} onEnd={loadMore} />
      )}
      {sessions !== undefined && shown?.length === 0 && sessions.length > 0 ? (
        <p className="faint" role="status">
          {isComplete ? `No sessions match “${search}”` : 'Searching…'}
        </p>
      ) : undefined}
      {sessions?.length === 0 ? <FirstSteps onNew={() => setNew(true)} /> : undefined}
      {isNew ? <NewSession onClose={() => setNew(false)} /> : undefined}
    </div>
  );
}
