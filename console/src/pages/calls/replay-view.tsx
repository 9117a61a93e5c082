import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Replay } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Badge, OutcomeBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SessionName } from '../../parts/session-name.tsx';

const differences = {
  no: 'as it was',
  outcome: 'another outcome',
  content: 'another result',
  decision: 'decided otherwise',
} as const;

/** Runs the calls of a session again, offline, against their recorded results. */
export function ReplayView({ session }: { readonly session: string }): ReactNode {
  const [text, setText] = useState('');
  const run = useMutation({
    mutationFn: () =>
      api('POST /api/sessions/{id}/replay', { path: { id: session }, body: text.trim() === '' ? {} : { text } }),
  });
  return (
    <section className="replay" aria-label="Replay">
      <p>
        Runs the calls of <SessionName id={session} /> again by their recorded results: nothing outside is reached,
        nothing is written, and humans answer as they did.
      </p>
      <label className="field">
        <span>Rules to decide them by, as YAML (empty: none)</span>
        <textarea
          className="code"
          rows={4}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <div className="actions">
        <Button kind="primary" isBusy={run.isPending} onClick={() => run.mutate()}>
          Replay
        </Button>
      </div>
      {run.error === null ? undefined : <ProblemNote error={run.error} />}
      {run.data === undefined ? undefined : <Result {...run.data} />}
    </section>
  );
}

function Result({ items, changed }: Replay): ReactNode {
  return (
    <>
      <p role="status">
        <strong>{changed}</strong> of {items.length} calls came out otherwise.
      </p>
      <div className="card">
        <DataTable label="Calls, then and now" head={['Tool', 'Then', 'Now', 'Difference']} kind="words">
          {items.map(({ callId, tool, recorded, replayed, differs, decision, error }) => (
            <tr key={callId}>
              <th scope="row">
                <Link to={`/calls/${callId}`}>{tool}</Link>
              </th>
              <td>
                <OutcomeBadge outcome={recorded} />
              </td>
              <td>
                <OutcomeBadge outcome={replayed} />
              </td>
              <td>
                <Badge tone={differs === 'no' ? 'grey' : 'amber'}>{differences[differs]}</Badge>{' '}
                <span className="faint">{differs === 'no' ? '' : (error?.message ?? decision?.reason)}</span>
              </td>
            </tr>
          ))}
        </DataTable>
      </div>
    </>
  );
}
