import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ConnectAgent } from '../servers/connect-agent.tsx';
import { ImportServers } from './import-servers.tsx';
import { TourButton } from '../../components/tour-button.tsx';

/** The next steps on an empty console. */
export function FirstSteps({ onNew }: { readonly onNew: () => void }): ReactNode {
  return (
    <section className="steps" aria-label="First steps">
      <div className="card step">
        <Icon name="sessions" />
        <div className="step-words">
          <h2>Talk to an agent</h2>
          <p>Every tool call is checked against your policy, recorded, and can be undone where possible.</p>
          <div className="step-actions">
            <TourButton />
            <Button operation="POST /api/sessions" icon="plus" onClick={onNew}>
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
