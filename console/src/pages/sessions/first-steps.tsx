import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ConnectAgent } from '../servers/connect-agent.tsx';
import { ImportServers } from './import-servers.tsx';
import { TourButton } from './tour-button.tsx';

/** What somebody new can do next. */
export function FirstSteps({ onNew }: { readonly onNew: () => void }): ReactNode {
  return (
    <section className="steps" aria-label="First steps">
      <div className="card step">
        <Icon name="sessions" />
        <div className="step-words">
          <h2>Talk to an agent</h2>
          <p>Every tool it calls is decided, recorded and, where that is possible, can be undone.</p>
          <div className="step-actions">
            <TourButton />
            <Button asks="POST /api/sessions" icon="plus" onClick={onNew}>
              New session
            </Button>
          </div>
        </div>
      </div>
      <ImportServers />
      <ConnectAgent />
    </section>
  );
}
