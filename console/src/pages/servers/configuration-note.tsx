import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { Icon } from '../../parts/icon.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';

/** Files that were changed and cannot be used: what is wrong, and where. */
export function ConfigurationNote(): ReactNode {
  const { data: info } = useQuery(queries.info());
  const refused = info?.configuration?.refused;
  if (refused === undefined) return undefined;
  return (
    <div className="note red configuration-note" role="alert">
      <Icon name="warning" />
      <div className="note-text">
        <strong>The changed configuration is not used; what ran before runs on</strong>
        <ul>
          {refused.details.map((detail) => (
            <li key={detail}>
              <code>{detail}</code>
            </li>
          ))}
        </ul>
        <p className="faint">
          Since <TimeAgo at={refused.since} />
        </p>
      </div>
    </div>
  );
}
