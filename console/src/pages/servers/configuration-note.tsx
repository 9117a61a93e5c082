import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { TimeAgo } from '../../components/time.tsx';

/** Reports the errors of a changed configuration that was rejected. */
export function ConfigurationNote(): ReactNode {
  const { data: info } = useQuery(queries.info());
  const refused = info?.configuration?.refused;
  if (refused === undefined) return undefined;
  return (
    <div className="note red configuration-note" role="alert">
      <Icon name="warning" />
      <div className="note-text">
        <strong>The changed configuration is invalid. The previous one stays active.</strong>
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
