import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { useTell } from '../../app/toasts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';

const lookEveryMs = 3000;

/** The line that connects a client, and whether one has come. */
export function ConnectAgent(): ReactNode {
  const { data } = useQuery({ ...queries.clients(), refetchInterval: lookEveryMs });
  const [chosen, setChosen] = useState(0);
  const tell = useTell();
  if (data === undefined) return undefined;
  const { commands } = data.connect;
  const command = commands[chosen]?.command ?? '';
  const newest = data.items[0];
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(command);
    tell.done('Copied');
  };
  return (
    <div className="card step">
      <Icon name="link" />
      <div className="step-words">
        <h2>Connect your agent</h2>
        <p role="status">
          {newest === undefined ? (
            <Badge tone="grey">no client yet</Badge>
          ) : (
            <>
              <Badge tone="green">connected</Badge> {newest.name} {newest.version}
            </>
          )}
        </p>
        <div className="step-actions" role="group" aria-label="Client">
          {commands.map(({ client }, index) => (
            <Button
              key={client}
              kind={index === chosen ? 'plain' : 'quiet'}
              aria-pressed={index === chosen}
              onClick={() => setChosen(index)}
            >
              {client}
            </Button>
          ))}
        </div>
        <div className="command">
          <pre role="group" aria-label="Command" tabIndex={0}>
            {command}
          </pre>
          <Button icon="copy" onClick={() => void copy().catch((error: unknown) => tell.problem(error))}>
            Copy
          </Button>
        </div>
      </div>
    </div>
  );
}
