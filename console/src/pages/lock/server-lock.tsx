import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import type { ServerStanding } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ToolChange, WordDiff } from './tool-change.tsx';

const tones = {
  unlocked: 'amber',
  unchanged: 'green',
  changed: 'red',
  down: 'gray',
  disabled: 'gray',
  missing: 'amber',
} as const;

/** The lock of one server: what changed, and the buttons to accept it or disable the server. */
export function ServerLock({ standing }: { readonly standing: ServerStanding }): ReactNode {
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
          <p className="faint">Instructions of the server for models. Withheld from models until you accept them.</p>
          <WordDiff text={diff.instructions.text} />
        </div>
      )}
      {diff === undefined || diff.tools.length === 0 ? undefined : (
        <ul className="tool-changes" aria-label={`Changes of ${server}`}>
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
      return isPinned ? `${count}, as first seen; changes ask until you accept them` : count;
    case 'unchanged':
      return `${count}, as accepted`;
    case 'changed':
      return isLocked
        ? 'changed tools are hidden until you accept them'
        : 'changed tools ask each time until you accept them';
    case 'down':
      return `${reason ?? 'not connected'}${isLocked ? '' : '; not locked'}`;
    case 'disabled':
      return isLocked ? 'locked' : 'not locked';
    case 'missing':
      return 'locked, but no longer configured';
  }
}

/** The actions for a changed or unlocked server. Accepting covers exactly the displayed definitions. */
function Answer({
  standing: { server, status, fingerprint, isLocked },
}: {
  readonly standing: ServerStanding;
}): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const refresh = (): void => {
    for (const key of ['lock', 'tools', 'servers']) void cache.invalidateQueries({ queryKey: [key] });
  };
  const accept = useMutation({
    mutationFn: () =>
      api('POST /api/lock/{server}/accept', {
        path: { server },
        body: fingerprint === undefined ? {} : { seen: fingerprint },
      }),
    onSuccess: () => toaster.success(`Accepted ${server}`),
    onSettled: refresh,
  });
  const disable = useMutation({
    mutationFn: () => api('POST /api/servers/{name}/disable', { path: { name: server } }),
    onSuccess: () => toaster.success(`Disabled ${server}; its tools are hidden`),
    onError: (problem) => toaster.error(problem),
    onSettled: refresh,
  });
  const isOutdated = accept.error instanceof ProblemError && accept.error.code === 'lock-outdated';
  return (
    <>
      {isOutdated ? (
        <p className="note amber" role="alert">
          The server changed again. The current definitions are shown now: review them, then accept.
        </p>
      ) : accept.error === null ? undefined : (
        <ProblemNote error={accept.error} />
      )}
      <div className="actions">
        {status === 'changed' ? (
          <span className="faint standing-left">
            Until you accept, changed tools {isLocked ? 'stay hidden' : 'keep asking'}.
          </span>
        ) : undefined}
        {status === 'changed' ? (
          <Button
            operation="POST /api/servers/{name}/disable"
            kind="danger"
            isBusy={disable.isPending}
            onClick={() => disable.mutate()}
          >
            Disable server
          </Button>
        ) : undefined}
        <Button
          operation="POST /api/lock/{server}/accept"
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
