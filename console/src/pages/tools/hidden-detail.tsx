import type { ReactNode } from 'react';
import type { HiddenTool, Server } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Badge, ServerBadge } from '../../parts/badge.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';

const because: Readonly<Record<HiddenTool['by'], string>> = {
  'server-disabled': 'its server is disabled',
  'server-down': 'its server is down',
  'name-collision': 'another tool has its name',
  'definition-invalid': 'its definition cannot be used',
  lock: 'it is not what was accepted into the lock',
  rule: 'a pattern of the configuration hides it',
  transform: 'a transform drops it',
  profile: 'the profile hides it',
};

/** A tool that exists and is not offered: why, since when, and where that can be changed. */
export function HiddenDetail({
  hidden: { name, server, by, reason, since },
  servers,
}: {
  readonly hidden: HiddenTool;
  readonly servers: readonly Server[];
}): ReactNode {
  const its = servers.find((each) => each.name === server);
  return (
    <article className="detail">
      <header className="detail-head">
        <h2>{name}</h2>
        <Badge tone="grey">hidden</Badge>
      </header>
      <div className="note amber">
        <div className="note-text">
          <strong>Not offered: {because[by]}</strong>
          <p>{reason}</p>
        </div>
      </div>
      <dl className="detail-facts">
        <dt>Since</dt>
        <dd>
          <TimeAgo at={since} />
        </dd>
        <dt>Server</dt>
        <dd>
          <Link to={`/servers/${encodeURIComponent(server)}`}>{server}</Link>{' '}
          {its === undefined ? undefined : <ServerBadge {...its} />}
        </dd>
        {by === 'lock' ? (
          <>
            <dt>To offer it</dt>
            <dd>
              <Link to="/lock">Look at what changed, and accept it</Link>
            </dd>
          </>
        ) : undefined}
      </dl>
    </article>
  );
}
