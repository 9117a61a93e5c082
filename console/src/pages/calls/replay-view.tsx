import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Replay } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Badge, OutcomeBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { SessionLink } from '../../components/calls/session-link.tsx';

const differences = {
  no: 'same',
  outcome: 'different outcome',
  content: 'different result',
  decision: 'different decision',
} as const;

/** Replays the calls of a session offline, against their recorded results. */
export function ReplayView({ session }: { readonly session: string }): ReactNode {
  const [text, setText] = useState('');
  const run = useMutation({
    mutationFn: () =>
      api('POST /api/sessions/{id}/replay', { path: { id: session }, body: text.trim() === '' ? {} : { text } }),
  });
  return (
    <section className="replay" aria-label="Replay">
      <p>
        Replays the calls of <SessionLink id={session} /> with their recorded results and approvals. No tool runs and
        nothing is written.
      </p>
      <label className="field">
        <span>Rules to apply, as YAML (leave empty for none)</span>
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
        <strong>{changed}</strong> of {items.length} calls differ.
      </p>
      <div className="card">
        <DataTable label="Replayed calls" head={['Tool', 'Recorded', 'Replayed', 'Difference']} kind="words">
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
                <Badge tone={differs === 'no' ? 'gray' : 'amber'}>{differences[differs]}</Badge>{' '}
                <span className="faint">{differs === 'no' ? '' : (error?.message ?? decision?.reason)}</span>
              </td>
            </tr>
          ))}
        </DataTable>
      </div>
    </>
  );
}
