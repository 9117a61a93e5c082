import { type ReactNode, useState } from 'react';
import { navigate } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { useLiveEvents } from '../../live/live.tsx';
import { Button } from '../../parts/button.tsx';

const keptAs = 'signalbox-notify';

function isOn(): boolean {
  return (
    typeof Notification !== 'undefined' &&
    Notification.permission === 'granted' &&
    localStorage.getItem(keptAs) === 'on'
  );
}

/** Lets the browser tell of calls that wait while another window is in front. */
export function NotifySwitch(): ReactNode {
  const [on, setOn] = useState(isOn);
  const tell = useTell();
  if (typeof Notification === 'undefined') return undefined;
  const change = async (): Promise<void> => {
    const wanted = !on && (await Notification.requestPermission()) === 'granted';
    localStorage.setItem(keptAs, wanted ? 'on' : 'off');
    setOn(wanted);
    if (!on && !wanted) tell.problem(new Error('This browser lets no notification through: allow them for this site.'));
  };
  return (
    <Button icon="bell" aria-pressed={on} onClick={() => void change()}>
      {on ? 'Notifications on' : 'Notify me'}
    </Button>
  );
}

/** Tells of every new question, on whatever page the reader is. */
export function Notifications(): ReactNode {
  useLiveEvents((live) => {
    if (live.kind !== 'journal' || live.event.type !== 'ApprovalRequested') return;
    if (!isOn() || document.visibilityState === 'visible') return;
    const { tool, decision, approvalId } = live.event;
    const shown = new Notification(`${tool} waits for you`, { body: decision.reason, tag: approvalId });
    shown.addEventListener('click', () => {
      window.focus();
      navigate(`/inbox?question=${encodeURIComponent(approvalId)}`);
    });
  });
  return undefined;
}
