/** The error codes of calls, with their meanings. */
export const callErrorCodes = {
  'tool-unknown': 'no tool of that name in the catalog',
  'tool-hidden': 'the tool exists but is hidden or its server is disabled',
  'server-down': 'the tool belongs to a server that is down',
  'definition-changed': 'the definition of the tool changed after the caller saw it',
  'arguments-invalid': 'the arguments do not match the tool’s schema',
  'idempotency-conflict': 'the idempotency key was used before for other arguments',
  'policy-denied': 'policy refused the call',
  'approval-denied': 'a human refused the call',
  'approval-unavailable': 'the call needs an approval and nobody can be asked',
  'approval-failed': 'asking for the approval failed',
  'server-busy': 'too many calls are waiting for the server',
  'rate-limited': 'the server’s rate limit does not admit the call before its deadline',
  'approval-awaited': 'the call waits for a human’s approval',
  'approval-expired': 'nobody approved the call in time',
  'approval-used': 'the approval was used by an identical call',
  'arguments-edited': 'a human approved the call with other arguments, and another call was made with these',
  'tool-failed': 'the tool threw or reported an error',
  'capability-missing': 'the tool needs a capability that the caller does not have',
  'result-invalid': 'the tool returned an invalid result',
  'result-too-large': 'the result exceeds the size limit',
  'deadline-exceeded': 'the call ran out of time',
  'caller-cancelled': 'the caller cancelled the call',
  'box-closed': 'Signalbox is closed or closing',
  'process-ended': 'the process ended while the call waited for approval, and nothing ran',
  'journal-unavailable': 'the journal could not be written, so nothing ran',
  'checkpoint-failed': 'the state before the call could not be saved, so nothing ran',
  'outcome-unrecorded': 'the tool ran but its outcome could not be recorded',
  'outcome-lost': 'the process ended, or the connection to the tool broke, before the outcome was known',
  'settled-failed': 'a human determined that a call with unknown outcome failed',
  'internal-fault': 'a fault inside Signalbox',
} as const;

/** The code for why a call did not complete. */
export type CallErrorCode = keyof typeof callErrorCodes;

/** The codes of errors that Signalbox throws, with their meanings. */
export const errorCodes = {
  'name-invalid': 'a server or tool name breaks the naming rules',
  'name-collision': 'two servers, or two tools of one server, have the same name',
  'server-unknown': 'no server of that name is mounted',
  'profile-unknown': 'there is no profile of that name',
  'server-local': 'the server is in this process, so there is nothing to restart',
  'server-down': 'the server does not respond',
  'server-required': 'a required server is not up',
  'lock-outdated': 'the server changed after its differences were reviewed',
  'file-unwritable': 'a file cannot be written',
  'file-unreadable': 'a file cannot be read or has invalid content',
  'sign-in-refused': 'the server does not support signing in',
  'sign-in-failed': 'a sign-in could not be started',
  'file-outdated': 'a file changed after it was read',
  'server-unavailable': 'the server is disabled or down',
  'content-failed': 'a resource or prompt of a server could not be read',
  'content-denied': 'a rule or a human refused a resource or prompt, or a human has to approve it first',
  'tool-invalid': 'a tool definition is malformed',
  'schema-unsupported': 'a schema cannot be turned into JSON Schema',
  'event-unknown': 'there is no event of that name',
  'call-unknown': 'no such call is in the journal',
  'result-unknown': 'no stored result has that URI',
  'store-unavailable': 'the store cannot be opened or written',
  'store-newer': 'the store was written by a newer version',
  'copy-failed': 'the records could not be copied, or differ between source and target',
  'journal-pruned': 'another process is pruning the same journal',
  'policy-invalid': 'a policy cannot be used',
  'configuration-untrusted': 'the configuration, or a part of it, was not accepted on this machine',
  'secret-invalid': 'the name or the value of a secret cannot be used',
  'secret-unusable': 'a stored secret or its key cannot be read',
  'approval-unknown': 'there is no approval of that id',
  'approval-answered': 'the approval was already answered',
  'approval-expired': 'the approval was not answered in time',
  'approver-refused': 'only humans can answer',
  'hidden-unacknowledged': 'hidden parts of the arguments were neither revealed nor acknowledged',
  'reveal-unavailable': 'the hidden parts are no longer stored',
  'edit-invalid': 'edited arguments cannot be used',
  'remember-refused': 'the approval cannot be remembered in that scope',
  'rule-unknown': 'there is no remembered rule of that id',
  'call-settled': 'the outcome of the call is already known',
  'model-unusable': 'a model cannot be used because of its name, its package or its key',
  'box-closed': 'the box is closed',
  'checkpoint-failed': 'the state before a call could not be saved',
  'undo-unavailable': 'no checkpoint is stored from which the call could be undone',
  'undo-done': 'the call was already undone',
  'session-unknown': 'there is no session of that id',
  'session-invalid': 'a session cannot be created or changed with these options',
  'session-busy': 'too many messages are waiting in the session',
  'agent-unknown': 'there is no agent of that name',
  'question-unknown': 'no open question of an agent has that id',
  'question-answered': 'the question was already answered',
  'elicitation-unknown': 'no open question of a server has that id',
  'elicitation-closed': 'the question of a server no longer waits for an answer',
  'elicitation-invalid': 'the answer does not match what the server asked for',
  'setting-unknown': 'the configuration has no setting at that path',
  'setting-refused': 'tools may not change the setting',
  'job-unknown': 'there is no job of that id',
  'job-invalid': 'a job cannot be created with these options',
  'token-unknown': 'there is no token of that id',
  'token-invalid': 'a token cannot be created with these options',
} as const;

/** The code of an error that Signalbox throws. */
export type ErrorCode = keyof typeof errorCodes;

/** The error that Signalbox throws for wrong use, wrong configuration and lost resources. Calls never throw it; they have outcomes. */
export class SignalboxError extends Error {
  override readonly name = 'SignalboxError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Returns the reason to abort a call with when Signalbox stops, so that the call is not recorded as cancelled by its caller. */
export function closingReason(): SignalboxError {
  return new SignalboxError('box-closed', 'Signalbox is closing');
}

/** Converts any thrown value to an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

/** Returns the message of any thrown value. Never empty, never throws. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name || 'an error without a message';
    if (typeof thrown === 'string' && thrown !== '') return thrown;
    return `a thrown ${thrown === null ? 'null' : typeof thrown}: ${String(thrown)}`.slice(0, 500);
  } catch {
    return 'a value that cannot be converted to a string was thrown';
  }
}
