import type { ReactNode } from 'react';
import type { HiddenTool, Server } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Badge, ServerBadge } from '../../components/badge.tsx';
import { TimeAgo } from '../../components/time.tsx';

const hiddenReasons: Readonly<Record<HiddenTool['by'], string>> = {
  'server-disabled': 'its server is disabled',
  'server-down': 'its server is down',
  'name-collision': 'another tool has the same name',
  'definition-invalid': 'its definition is invalid',
  lock: 'its definition changed since you accepted it',
  rule: 'a configured pattern hides it',
  transform: 'a transform removes it',
  profile: 'the profile hides it',
};

/** A hidden tool: the reason, since when, and how to make it available. */
export function HiddenDetail({
  hidden: { name, server, by, reason, since },
  servers,
}: {
  readonly hidden: HiddenTool;
  readonly servers: readonly Server[];
}): ReactNode {
  const toolServer = servers.find((each) => each.name === server);
  return (
    <article className="detail">
      <header className="detail-head">
        <h2>{name}</h2>
        <Badge tone="gray">hidden</Badge>
      </header>
      <div className="note amber">
        <div className="note-text">
          <strong>Hidden: {hiddenReasons[by]}</strong>
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
          {toolServer === undefined ? undefined : <ServerBadge {...toolServer} />}
        </dd>
        {by === 'lock' ? (
          <>
            <dt>Next step</dt>
            <dd>
              <Link to="/lock">Review and accept the changes</Link>
            </dd>
          </>
        ) : undefined}
      </dl>
    </article>
  );
}
