import type { ReactNode } from 'react';
import type { Decision, Effect, Outcome, Server, Session } from '../api/schema.ts';

type Tone = 'green' | 'amber' | 'red' | 'blue' | 'gray';

const outcomes: Readonly<Record<Outcome, Tone>> = {
  completed: 'green',
  failed: 'red',
  denied: 'red',
  'awaiting-approval': 'amber',
  'timed-out': 'red',
  cancelled: 'gray',
  stale: 'amber',
  unknown: 'amber',
};
const effects: Readonly<Record<Effect, Tone>> = {
  read: 'gray',
  undoable: 'blue',
  compensable: 'amber',
  irreversible: 'red',
};
const answers: Readonly<Record<Decision['answer'], Tone>> = { allow: 'green', ask: 'amber', deny: 'red' };
const states: Readonly<Record<Session['state'], Tone>> = {
  idle: 'gray',
  running: 'blue',
  waiting: 'amber',
  expired: 'gray',
};
const statuses: Readonly<Record<Server['status'], Tone>> = { up: 'green', down: 'red', disabled: 'gray' };

/** A short label with a color. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }): ReactNode {
  return <Badge tone={outcomes[outcome]}>{outcome}</Badge>;
}

export function EffectBadge({ effect }: { readonly effect: Effect }): ReactNode {
  return <Badge tone={effects[effect]}>{effect}</Badge>;
}

export function DecisionBadge({ answer }: { readonly answer: Decision['answer'] }): ReactNode {
  return <Badge tone={answers[answer]}>{answer}</Badge>;
}

export function SessionBadge({ state }: { readonly state: Session['state'] }): ReactNode {
  return <Badge tone={states[state]}>{state}</Badge>;
}

export function ServerBadge({ status, connecting }: Pick<Server, 'status' | 'connecting'>): ReactNode {
  return connecting === true ? <Badge tone="amber">connecting</Badge> : <Badge tone={statuses[status]}>{status}</Badge>;
}
