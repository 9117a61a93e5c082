import type { CallErrorCode } from '../core/errors.ts';

/** What to do after a call that did not complete. */
export function nextStep(code: CallErrorCode, tool: string, callId: string): string {
  switch (code) {
    case 'definition-changed':
      return 'signalbox tools';
    case 'tool-unknown':
    case 'tool-hidden':
    case 'server-down':
      return 'signalbox tools --why';
    case 'arguments-invalid':
      return `signalbox tools --json shows the schema of ${tool}`;
    case 'idempotency-conflict':
      return 'use another --key for other arguments';
    case 'approval-unavailable':
      return 'run the same command in a terminal, where you can be asked';
    case 'approval-awaited':
      return 'signalbox approvals shows it, signalbox approve answers it; then run the same command again';
    case 'approval-expired':
    case 'approval-used':
    case 'process-ended':
      return 'run the same command again: it asks again';
    case 'outcome-lost':
      return `find out whether it took effect, then signalbox settle ${callId} --completed or --failed`;
    case 'deadline-exceeded':
      return 'give it longer with --timeout, as in --timeout 5m';
    case 'server-busy':
    case 'rate-limited':
      return 'wait, or give it longer with --timeout, as in --timeout 5m';
    case 'checkpoint-failed':
    case 'journal-unavailable':
    case 'outcome-unrecorded':
    case 'internal-fault':
      return 'signalbox doctor';
    case 'policy-denied':
      return `signalbox policy explain ${callId}`;
    case 'approval-denied':
    case 'approval-failed':
    case 'tool-failed':
    case 'capability-missing':
    case 'result-invalid':
    case 'result-too-large':
    case 'caller-cancelled':
    case 'box-closed':
    case 'arguments-edited':
    case 'settled-failed':
      return `signalbox journal --tool ${tool}`;
  }
}
