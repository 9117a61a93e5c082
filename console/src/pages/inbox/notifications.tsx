import { type ReactNode, useState } from 'react';
import { navigate } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { useLiveEvents } from '../../live/live-events.tsx';
import { Button } from '../../components/button.tsx';

const storageKey = 'signalbox-notify';

function isOn(): boolean {
  return (
    typeof Notification !== 'undefined' &&
    Notification.permission === 'granted' &&
    localStorage.getItem(storageKey) === 'on'
  );
}

/** Turns browser notifications about pending approvals on and off. */
export function NotifySwitch(): ReactNode {
  const [on, setOn] = useState(isOn);
  const toaster = useToaster();
  if (typeof Notification === 'undefined') return undefined;
  const change = async (): Promise<void> => {
    const wanted = !on && (await Notification.requestPermission()) === 'granted';
    localStorage.setItem(storageKey, wanted ? 'on' : 'off');
    setOn(wanted);
    if (!on && !wanted) toaster.error(new Error('This browser blocks notifications. Allow them for this site.'));
  };
  return (
    <Button icon="bell" aria-pressed={on} onClick={() => void change()}>
      {on ? 'Notifications on' : 'Turn on notifications'}
    </Button>
  );
}

/** Shows a browser notification for each new approval while the window is hidden. */
export function Notifications(): ReactNode {
  useLiveEvents((live) => {
    if (live.kind !== 'journal' || live.event.type !== 'ApprovalRequested') return;
    if (!isOn() || document.visibilityState === 'visible') return;
    const { tool, decision, approvalId } = live.event;
    const shown = new Notification(`${tool} needs your approval`, { body: decision.reason, tag: approvalId });
    shown.addEventListener('click', () => {
      window.focus();
      navigate(`/inbox?question=${encodeURIComponent(approvalId)}`);
    });
  });
  return undefined;
}
