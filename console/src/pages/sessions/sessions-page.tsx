import { type ReactNode, useState } from 'react';
import { PageHead } from '../../app/page-head.tsx';
import { useRefusal } from '../../app/reader.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NewSession } from './new-session.tsx';
import { SessionRows } from './session-rows.tsx';
import { useSessionList } from './use-session-list.ts';

/** Every conversation with an agent. */
export function SessionsPage(): ReactNode {
  const [isNew, setNew] = useState(false);
  const [search, setSearch] = useState('');
  const { sessions, error, isWhole, loadMore, retry } = useSessionList(search !== '');
  const mayBegin = useRefusal('POST /api/sessions') === undefined;
  useShortcut('n', 'New session', () => setNew(true), { isOn: mayBegin });
  const words = search.toLowerCase();
  const shown = sessions?.filter(({ title, agent, cwd }) => `${title} ${agent} ${cwd}`.toLowerCase().includes(words));
  return (
    <div className="page">
      <PageHead title="Sessions" about="Conversations with agents. Every tool call in them passes through here.">
        <Button asks="POST /api/sessions" kind="primary" icon="plus" shortcut="n" onClick={() => setNew(true)}>
          New session
        </Button>
      </PageHead>
      {error === null ? undefined : <ProblemNote error={error} onRetry={retry} />}
      {sessions !== undefined && sessions.length > 5 ? (
        <SearchField label="Search sessions" value={search} onChange={setSearch} />
      ) : undefined}
      {shown === undefined || shown.length === 0 ? undefined : (
        <SessionRows sessions={shown} isWhole={isWhole} onEnd={loadMore} />
      )}
      {sessions !== undefined && shown?.length === 0 && sessions.length > 0 ? (
        <p className="faint" role="status">
          {isWhole ? `No session fits “${search}”.` : 'Looking…'}
        </p>
      ) : undefined}
      {sessions?.length === 0 ? <FirstSteps onNew={() => setNew(true)} /> : undefined}
      {isNew ? <NewSession onClose={() => setNew(false)} /> : undefined}
    </div>
  );
}
