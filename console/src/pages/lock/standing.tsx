import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import type { ServerStanding } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ToolChange, WordDiff } from './tool-change.tsx';

const tones = {
  unlocked: 'amber',
  unchanged: 'green',
  changed: 'red',
  down: 'grey',
  disabled: 'grey',
  missing: 'amber',
} as const;

/** One server beside its lock, and the way to accept or refuse what changed. */
export function Standing({ standing }: { readonly standing: ServerStanding }): ReactNode {
  const { server, status, tools, diff } = standing;
  return (
    <section className={`card standing ${status}`} aria-label={server}>
      <header className="detail-head">
        <h2>
          <Link to={`/servers/${encodeURIComponent(server)}`}>{server}</Link>
        </h2>
        <Badge tone={tones[status]}>{status === 'unlocked' ? 'not locked' : status}</Badge>
        <span className="faint">{about(standing, tools)}</span>
      </header>
      {diff?.instructions === undefined ? undefined : (
        <div className="change">
          <h3>Instructions {diff.instructions.kind}</h3>
          <p className="faint">What it tells models about itself. Not given to models until it is accepted.</p>
          <WordDiff text={diff.instructions.text} />
        </div>
      )}
      {diff === undefined || diff.tools.length === 0 ? undefined : (
        <ul className="tool-changes" aria-label={`What changed at ${server}`}>
          {diff.tools.map((change) => (
            <li key={`${change.kind} ${change.tool}`}>
              <ToolChange change={change} />
            </li>
          ))}
        </ul>
      )}
      {status === 'changed' || status === 'unlocked' ? <Answer standing={standing} /> : undefined}
    </section>
  );
}

function about({ status, reason, isLocked, isPinned }: ServerStanding, tools: number): string {
  const count = `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  switch (status) {
    case 'unlocked':
      return isPinned ? `${count}, as first seen; what changes asks until it is accepted` : count;
    case 'unchanged':
      return `${count}, as accepted`;
    case 'changed':
      return isLocked ? 'what differs is not offered' : 'what differs asks each time until it is accepted';
    case 'down':
      return `${reason ?? 'not connected'}${isLocked ? '' : '; not locked'}`;
    case 'disabled':
      return isLocked ? 'locked' : 'not locked';
    case 'missing':
      return 'locked, but not configured any more';
  }
}

/** Accepts exactly what is shown. Refusing is leaving it: what differs stays hidden. */
function Answer({
  standing: { server, status, fingerprint, isLocked },
}: {
  readonly standing: ServerStanding;
}): ReactNode {
  const cache = useQueryClient();
  const tell = useTell();
  const lookAgain = (): void => {
    for (const key of ['lock', 'tools', 'servers']) void cache.invalidateQueries({ queryKey: [key] });
  };
  const accept = useMutation({
    mutationFn: () =>
      api('POST /api/lock/{server}/accept', {
        path: { server },
        body: fingerprint === undefined ? {} : { seen: fingerprint },
      }),
    onSuccess: () => tell.done(`${server} is accepted as it is now.`),
    onSettled: lookAgain,
  });
  const disable = useMutation({
    mutationFn: () => api('POST /api/servers/{name}/disable', { path: { name: server } }),
    onSuccess: () => tell.done(`${server} is disabled: none of its tools is offered.`),
    onError: (problem) => tell.problem(problem),
    onSettled: lookAgain,
  });
  const hasMoved = accept.error instanceof ProblemError && accept.error.code === 'lock-outdated';
  return (
    <>
      {hasMoved ? (
        <p className="note amber" role="alert">
          It changed since you looked. What is shown now is how it is now: look again, then accept.
        </p>
      ) : accept.error === null ? undefined : (
        <ProblemNote error={accept.error} />
      )}
      <div className="actions">
        {status === 'changed' ? (
          <span className="faint standing-left">
            Refuse it by leaving it: what differs {isLocked ? 'stays hidden' : 'keeps asking'}.
          </span>
        ) : undefined}
        {status === 'changed' ? (
          <Button
            asks="POST /api/servers/{name}/disable"
            kind="danger"
            isBusy={disable.isPending}
            onClick={() => disable.mutate()}
          >
            Disable the server
          </Button>
        ) : undefined}
        <Button
          asks="POST /api/lock/{server}/accept"
          kind={status === 'changed' ? 'primary' : 'plain'}
          icon="check"
          isBusy={accept.isPending}
          onClick={() => accept.mutate()}
        >
          {status === 'changed' ? 'Accept' : 'Lock'}
        </Button>
      </div>
    </>
  );
}
