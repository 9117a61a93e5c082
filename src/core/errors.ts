/** Every code an unfinished call can carry, with what it means. */
export const callErrorCodes = {
  'tool-unknown': 'no tool of that name in the catalog',
  'tool-hidden': 'the tool exists but is hidden or its server is disabled',
  'server-down': 'the tool belongs to a server that is down',
  'definition-changed': 'the tool is not the one the caller saw any more',
  'arguments-invalid': 'the arguments do not fit the tool’s schema',
  'idempotency-conflict': 'the idempotency key was used before for other arguments',
  'policy-denied': 'policy refused the call',
  'approval-denied': 'a human refused the call',
  'approval-unavailable': 'the call needs an approval and nobody can be asked',
  'approval-failed': 'asking for the approval failed',
  'server-busy': 'too many calls wait for the server already',
  'rate-limited': 'the server’s rate limit leaves no turn in time',
  'approval-awaited': 'the call waits for a human’s approval',
  'approval-expired': 'nobody approved the call in time',
  'approval-used': 'the approval was used by an identical call',
  'arguments-edited': 'a human approved the call with other arguments, and another call was made with these',
  'tool-failed': 'the tool threw or reported an error',
  'capability-missing': 'the tool needs something of its caller that the caller cannot do',
  'result-invalid': 'what the tool returned is not a result',
  'result-too-large': 'the result is larger than can be kept',
  'deadline-exceeded': 'the call ran out of time',
  'caller-cancelled': 'the caller cancelled the call',
  'box-closed': 'Signalbox is closed or closing',
  'process-ended': 'the process ended while the call waited for approval, and nothing ran',
  'journal-unavailable': 'the record could not be written, so nothing was run',
  'checkpoint-failed': 'the state before the call could not be kept, so nothing was run',
  'outcome-unrecorded': 'the tool ran but its outcome could not be recorded',
  'outcome-lost': 'the process ended, or the way to the tool broke, between the start of the call and its outcome',
  'settled-failed': 'the outcome was unknown until a human found out that the call failed',
  'internal-fault': 'a fault inside Signalbox',
} as const;

/** Why a call did not complete. */
export type CallErrorCode = keyof typeof callErrorCodes;

/** Every code of an error that Signalbox throws, with what it means. */
export const errorCodes = {
  'name-invalid': 'a server or tool name breaks the naming rules',
  'name-collision': 'two servers, or two tools of one server, have the same name',
  'server-unknown': 'no server of that name is mounted',
  'profile-unknown': 'there is no profile of that name',
  'server-local': 'the server is in this process, so there is nothing to restart',
  'server-down': 'the server does not answer',
  'server-required': 'a required server is not up',
  'lock-outdated': 'the server is not what it was when its differences were looked at',
  'file-unwritable': 'a file cannot be written',
  'file-unreadable': 'a file cannot be read, or is not what it should be',
  'sign-in-refused': 'nobody signs in at the server',
  'sign-in-failed': 'a sign-in could not be begun',
  'file-outdated': 'a file is not what it was when it was read',
  'server-unavailable': 'the server is disabled or down',
  'content-failed': 'a resource or prompt of a server could not be read',
  'content-denied': 'a rule or a human refused a resource or prompt, or a human has to approve it first',
  'tool-invalid': 'a tool definition is malformed',
  'schema-unsupported': 'a schema cannot be turned into JSON Schema',
  'event-unknown': 'there is no event of that name',
  'call-unknown': 'no such call is in the journal',
  'result-unknown': 'no kept result under that address',
  'store-unavailable': 'the store cannot be opened or written',
  'store-newer': 'the store was written by a newer version',
  'copy-failed': 'the records could not be copied, or are not the same on both sides',
  'journal-pruned': 'another process prunes the same journal',
  'policy-invalid': 'a policy cannot be used',
  'configuration-untrusted': 'nobody accepted the configuration, or all of it, on this machine',
  'secret-invalid': 'the name or the value of a secret cannot be used',
  'secret-unusable': 'a secret is kept, but it or its key cannot be read',
  'approval-unknown': 'there is no approval of that id',
  'approval-answered': 'the approval has an answer already',
  'approval-expired': 'the approval was not answered in time',
  'approver-refused': 'only humans can answer',
  'hidden-unacknowledged': 'hidden parts of the arguments were neither revealed nor acknowledged',
  'reveal-unavailable': 'the hidden parts are not stored any more',
  'edit-invalid': 'edited arguments cannot be used',
  'remember-refused': 'the approval cannot be remembered that far',
  'rule-unknown': 'there is no remembered rule of that id',
  'call-settled': 'the outcome of the call is known',
  'model-unusable': 'a model cannot be used: its name, its package or its key',
  'box-closed': 'the box is closed',
  'checkpoint-failed': 'the state before a call could not be kept',
  'undo-unavailable': 'there is nothing kept from which the call could be undone',
  'undo-done': 'the call was undone already',
  'session-unknown': 'there is no session of that id',
  'session-invalid': 'a session cannot be made or changed like that',
  'session-busy': 'more messages wait in the session than it takes',
  'agent-unknown': 'there is no agent of that name',
  'question-unknown': 'no question of an agent waits under that id',
  'question-answered': 'the question has an answer already',
  'elicitation-unknown': 'no question of a server waits under that id',
  'elicitation-closed': 'the question of a server no longer waits for an answer',
  'elicitation-invalid': 'the answer does not fit what the server asked for',
  'setting-unknown': 'the configuration says nothing there',
  'setting-refused': 'the setting is not for tools to change',
  'job-unknown': 'there is no job of that id',
  'job-invalid': 'a job cannot be made like that',
  'token-unknown': 'there is no token of that id',
  'token-invalid': 'a token cannot be made like that',
} as const;

/** The code of an error that Signalbox throws. */
export type ErrorCode = keyof typeof errorCodes;

/** What Signalbox throws at its host: wrong use, wrong configuration, lost resources. Calls never throw it; they have outcomes. */
export class SignalboxError extends Error {
  override readonly name = 'SignalboxError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Anything that was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

/** The message of anything that was thrown, never empty and never throwing. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name || 'an error without a message';
    if (typeof thrown === 'string' && thrown !== '') return thrown;
    return `a thrown ${thrown === null ? 'null' : typeof thrown}: ${String(thrown)}`.slice(0, 500);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}
