// Made by `npm run console:types` from the OpenAPI document of the server. Do not edit.

export type AcceptRequest = {
  /** The reviewed fingerprint: the request is refused when the definitions have changed since. */
  readonly seen?: string | undefined;
  /** Accepts only this tool, by its name on the server. Not for a server that is neither locked nor changed. */
  readonly tool?: string | undefined;
};

/** The metadata of an access token, without its secret. */
export type AccessToken = {
  readonly id: string;
  readonly role: Role;
  readonly name?: string | undefined;
  /** The profile that the token is bound to. */
  readonly profile?: string | undefined;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  /** Precise to the minute. */
  readonly lastUsedAt?: string | undefined;
  readonly revokedAt?: string | undefined;
};

export type Agent = {
  readonly name: string;
  /** The runtime of its turns: `claude`, `claude-cli` or `model`. */
  readonly runtime: string;
  readonly model?: string | undefined;
  /** The agent of sessions that name none. */
  readonly isDefault: boolean;
};

export type AgentPage = { readonly items: readonly Agent[] };

export type Alive = { readonly status: 'ok' };

export type AnswerElicitationRequest = {
  /** The id in `elicitation_required`. */
  readonly elicitationId: string;
  /** `accept` (with `content` for a form), `decline` (an explicit refusal) or `cancel` (dismissed without an answer). */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The values of a form, valid for its `requestedSchema`. Only with `accept`. */
  readonly content?: { readonly [name: string]: unknown } | undefined;
};

/** A single-use answer of a human to one exact call, or the pending question. */
export type Approval = {
  readonly id: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'used' | 'expired';
  /** The call that first needed the approval. */
  readonly callId: string;
  readonly tool: string;
  readonly server: string;
  readonly effect: Effect;
  readonly definitionHash: string;
  readonly principal: Principal;
  readonly session?: string | undefined;
  /** The arguments that the tool would receive, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The parts that `arguments` does not show. Unless all are `registered`, approving needs a reveal by the same human, or `acknowledgeHidden`. */
  readonly hidden: readonly HiddenPart[];
  /** The arguments as the caller sent them, when they differ from `arguments`. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  /** SHA-256 of the complete arguments in canonical form (RFC 8785). */
  readonly argumentsHash: string;
  readonly decision: Decision;
  /** Suspicious parts of the tool definition. */
  readonly flags?: readonly string[] | undefined;
  /** An earlier approval of the same call that is no longer valid, and why. */
  readonly note?: string | undefined;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /** Whether a call waits for the answer. When it is `gone`, approving runs nothing now: the approval is used if the same caller makes exactly the same call before `expiresAt`. Present while the approval is pending or approved. */
  readonly caller?: 'waiting' | 'gone' | undefined;
  readonly answer?:
    | {
        readonly by: Principal;
        readonly at: string;
        readonly reason?: string | undefined;
        /** The arguments as the human edited them. */
        readonly arguments?: { readonly [name: string]: unknown } | undefined;
        /** The rule that was created to remember the approval. */
        readonly rule?: string | undefined;
        /** Why the approval could not be remembered as requested; it is valid for this call only. */
        readonly notRemembered?: string | undefined;
        /** How the human handled hidden parts that are not registered secret values. */
        readonly hiddenParts?: 'revealed' | 'acknowledged' | undefined;
      }
    | undefined;
  /** The call that used the approval. */
  readonly usedBy?: string | undefined;
};

export type ApprovalPage = {
  readonly items: readonly Approval[];
  /** The total number on all pages. */
  readonly total: number;
  /** The `cursor` of the next page. Absent on the last page. */
  readonly next?: string | undefined;
  /** Every principal with a pending question, on any page, whatever the query selects. */
  readonly callers: readonly WaitingCaller[];
};

/** A human is asked about a call. */
export type ApprovalRequested = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'ApprovalRequested';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly server: string;
  readonly effect: Effect;
  readonly definitionHash: string;
  readonly principal: Principal;
  /** The arguments that the tool would receive, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The parts that `arguments` does not show. */
  readonly hidden?: readonly HiddenPart[] | undefined;
  /** The arguments as the caller sent them, when they differ from `arguments`. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly argumentsHash: string;
  readonly decision: Decision;
  readonly note?: string | undefined;
  readonly expiresAt: string;
  /** The digest of the stored question. */
  readonly digest?: string | undefined;
};

/** A human has answered. */
export type ApprovalResolved = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'ApprovalResolved';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly decision: 'approved' | 'denied';
  readonly by: Principal;
  readonly reason?: string | undefined;
  /** The arguments as the human edited them, without secrets. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  readonly remembered?: { readonly rule: string; readonly scope: RememberScope } | undefined;
  /** Why the approval could not be remembered as requested. */
  readonly notRemembered?: string | undefined;
  /** How the human handled hidden parts that are not registered secret values. */
  readonly hiddenParts?: 'revealed' | 'acknowledged' | undefined;
  /** The digest of the stored answer. */
  readonly digest?: string | undefined;
};

/** A human revealed the hidden parts of a question. */
export type ApprovalRevealed = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'ApprovalRevealed';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly by: Principal;
};

export type ApproveCallRequest = ApproveRequest & {
  /** The id of the call in the model’s output, as in the events. */
  readonly toolCallId: string;
  /** The approval that was shown. Recommended; required when the model uses one id for several calls. */
  readonly approvalId?: string | undefined;
};

export type ApproveRequest = {
  /** Runs the tool with these arguments instead of the original ones. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  /** If this is not possible (an irreversible tool, a call without a session, edited `arguments`), only this call is approved, and `answer.notRemembered` has the reason. */
  readonly remember?: RememberScope | 'nothing' | undefined;
  /** Approves without seeing hidden parts that are not registered secret values. Not needed after a reveal. */
  readonly acknowledgeHidden?: boolean | undefined;
};

/** Records that grant access or trust were stored or removed: pinned definitions, accepted locks, sign-in links, browser sessions. */
export type AuthorityChanged = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'AuthorityChanged';
  /** `carried`: the entries that recorded them were pruned, or a version wrote none. */
  readonly change: 'stored' | 'removed' | 'carried';
  readonly records: readonly {
    readonly kind: 'pin' | 'lock' | 'sign-in' | 'sign-in-link' | 'token';
    /** The name of the server, person or token. */
    readonly name: string;
    readonly id: string;
    /** The digest of the stored record. */
    readonly digest: string;
    readonly isRevoked?: true | undefined;
  }[];
};

/** The recorded calls that the given rules would have decided differently. */
export type Backtest = {
  readonly version: string;
  /** The number of calls that were evaluated. */
  readonly calls: number;
  /** The number of calls that code decided, which cannot be evaluated again. */
  readonly skipped: number;
  /** The number of calls with a different decision. */
  readonly changedTotal: number;
  readonly changed: readonly {
    readonly callId: string;
    readonly at: string;
    readonly tool: string;
    readonly sessionId?: string | undefined;
    readonly before: Decision;
    readonly after: Decision;
  }[];
};

export type BacktestRequest = {
  /** Rules, as in `policies.yaml`. */
  readonly rules?: readonly { readonly [name: string]: unknown }[] | undefined;
  /** The text of a `policies.yaml`, instead of `rules`. */
  readonly text?: string | undefined;
  /** Compares only calls since this time. */
  readonly since?: string | undefined;
  /** The maximum number of differing calls to list: the newest. */
  readonly limit?: number | undefined;
};

export type BegunSignIn = {
  /** The URL to open. The browser is redirected to a loopback address of this machine. */
  readonly url: string;
  readonly since: string;
};

export type CallDetails = EndedCallDetails | RunningCallDetails;

export type CallEntry = ToolInvoked | CallStarted;

/** A pending question lost its caller (cancelled, disconnected, timed out or crashed), or a call waits for its answer again. */
export type CallerChange = {
  readonly type: 'ApprovalCallerChanged';
  readonly approvalId: string;
  /** As in `Approval`. */
  readonly caller: 'waiting' | 'gone';
};

/** Present unless the call completed. */
export type CallError = {
  readonly code:
    | 'tool-unknown'
    | 'tool-hidden'
    | 'server-down'
    | 'definition-changed'
    | 'arguments-invalid'
    | 'idempotency-conflict'
    | 'policy-denied'
    | 'approval-denied'
    | 'approval-unavailable'
    | 'approval-failed'
    | 'server-busy'
    | 'rate-limited'
    | 'approval-awaited'
    | 'approval-expired'
    | 'approval-used'
    | 'arguments-edited'
    | 'tool-failed'
    | 'capability-missing'
    | 'result-invalid'
    | 'result-too-large'
    | 'deadline-exceeded'
    | 'caller-cancelled'
    | 'box-closed'
    | 'process-ended'
    | 'journal-unavailable'
    | 'checkpoint-failed'
    | 'outcome-unrecorded'
    | 'outcome-lost'
    | 'settled-failed'
    | 'internal-fault';
  readonly message: string;
  /** The JSON-RPC error by which an MCP server answered the call; its message is `message`. */
  readonly rpc?:
    | {
        readonly code: number;
        /** Any JSON value. */
        readonly data?: unknown;
      }
    | undefined;
};

/** The `data` of an event: first `started` (its id), then `progress`, `log`, `approval` (a human is asked about this call) and `approval-closed`, `elicitation` (the tool asks) and `elicitation-closed`, and last `result` (a `CallResult`) or `problem`. */
export type CallEvent = { readonly [name: string]: unknown };

export type CallPage = {
  readonly items: readonly CallEntry[];
  /** The `before` of the next page, or its `after` when reading oldest first. Absent on the last page. */
  readonly next?: number | undefined;
  /** Present on the last page when older entries were pruned and moved to archives. */
  readonly pruned?:
    | {
        /** The last pruned entry. */
        readonly seq: number;
        /** When that entry was written. */
        readonly at: string;
      }
    | undefined;
};

export type CallRequest = {
  /** The arguments of the tool; `{}` by default. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  /** Calls with the same key run once; later ones get the outcome of the first. */
  readonly idempotencyKey?: string | undefined;
  /** The session of the call. */
  readonly sessionId?: string | undefined;
  /** The expected definition; the call is `stale` when the definition has changed. */
  readonly definitionHash?: string | undefined;
  /** How long to wait for a human’s approval before the outcome is `awaiting-approval`. With an event stream, the default is until the question expires. */
  readonly waitSeconds?: number | undefined;
  /** The time limit of the whole call. */
  readonly timeoutSeconds?: number | undefined;
  /** With an event stream: the caller answers questions of the tool at `/api/call-questions/{id}`. */
  readonly elicitation?: boolean | undefined;
};

export type CallResult = {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: Outcome;
  readonly content: readonly ContentBlock[];
  /** Any JSON value. */
  readonly structuredContent?: unknown;
  /** The `_meta` of the result, as the server sent it. */
  readonly _meta?: { readonly [name: string]: unknown } | undefined;
  /** Unknown fields of the result. */
  readonly fields?: { readonly [name: string]: unknown } | undefined;
  readonly error?: CallError | undefined;
  /** The pending approval, with the outcome `awaiting-approval`. */
  readonly approvalId?: string | undefined;
  readonly durationMs: number;
  /** The cost of the call as reported by the tool. */
  readonly costUsd?: number | undefined;
  readonly decision?: Decision | undefined;
  /** Absent when the workspace is not tracked. */
  readonly changes?: readonly FileChange[] | undefined;
  /** The result of an earlier call; the tool did not run. */
  readonly cached?: true | undefined;
};

/** A human set the outcome of a call whose outcome was unknown. */
export type CallSettled = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'CallSettled';
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly as: 'completed' | 'failed';
  readonly by: Principal;
  readonly note?: string | undefined;
};

/** A call is about to run. */
export type CallStarted = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** The arguments that the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The arguments as the caller sent them, when defaults, configured values or transforms changed them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The name on the server, when the tool was renamed. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool has its own undo function. */
  readonly ownUndo?: true | undefined;
  /** The machine on which an undoable tool ran, and on which it can be undone. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the complete arguments that the tool received, in canonical form (RFC 8785). Absent for reads whose entry contains all arguments. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count this call, because it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call bypassed Signalbox and was only observed. */
  readonly observed?: true | undefined;
  /** The approval that the call used. */
  readonly approvalId?: string | undefined;
  /** The original call, whose arguments a human edited. */
  readonly replaces?: string | undefined;
  readonly type: 'CallStarted';
};

export type Catalog = {
  /** The tools that can be called. */
  readonly items: readonly Tool[];
  readonly version: number;
  readonly servers: readonly Server[];
  readonly hidden: readonly HiddenTool[];
  readonly notices: readonly {
    readonly server: string;
    readonly tool: string;
    readonly message: string;
    /** The notice is about a possible attack. */
    readonly isSuspicious?: true | undefined;
  }[];
};

/** Tools or servers were added, removed or changed. */
export type CatalogChange = {
  readonly type: 'CatalogChanged';
  readonly version: number;
  /** The number of tools that can be called. */
  readonly tools: number;
  readonly servers: readonly Server[];
};

export type ChangedServers = {
  /** The added servers. */
  readonly servers: readonly string[];
  /** Notes about stored secrets and remaining steps. */
  readonly notes: readonly string[];
};

/** The configuration changed while the server was running. */
export type ConfigurationChanged = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'ConfigurationChanged';
  readonly status: 'applied' | 'refused';
  /** Absent when the change was made through the API. */
  readonly file?: string | undefined;
  readonly by?: Principal | undefined;
  /** The changes, or the errors and their positions. */
  readonly details: readonly string[];
};

/** A content block of a result, as defined by MCP. */
export type ContentBlock =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly annotations?: { readonly [name: string]: unknown } | undefined;
      readonly _meta?: { readonly [name: string]: unknown } | undefined;
    }
  | {
      readonly type: 'image' | 'audio';
      readonly data: string;
      readonly mimeType: string;
      readonly annotations?: { readonly [name: string]: unknown } | undefined;
      readonly _meta?: { readonly [name: string]: unknown } | undefined;
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly [name: string]: unknown };
      readonly annotations?: { readonly [name: string]: unknown } | undefined;
      readonly _meta?: { readonly [name: string]: unknown } | undefined;
    }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
      readonly size?: number | undefined;
      readonly annotations?: { readonly [name: string]: unknown } | undefined;
      readonly _meta?: { readonly [name: string]: unknown } | undefined;
    };

/** A resource or a prompt of a server was read. */
export type ContentRead = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'ContentRead';
  readonly sessionId?: string | undefined;
  readonly server: string;
  readonly kind: 'resource' | 'prompt';
  /** The URI of the resource, or the name of the prompt. */
  readonly name: string;
  /** Without secrets. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  readonly principal: Principal;
  readonly outcome: 'completed' | 'failed';
  readonly durationMs: number;
  readonly error?: string | undefined;
};

export type CreatedToken = {
  /** Returned only once: the server stores a hash. */
  readonly token: string;
  readonly id: string;
  readonly role: Role;
  readonly name?: string | undefined;
  /** The profile that the token is bound to. */
  readonly profile?: string | undefined;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  /** Precise to the minute. */
  readonly lastUsedAt?: string | undefined;
  readonly revokedAt?: string | undefined;
};

/** Absent when the call ended before the policy was evaluated. */
export type Decision = {
  readonly answer: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  readonly reason: string;
  /** The position of the rule: `policies.yaml:12`. */
  readonly at?: string | undefined;
  /** Changes with the text of the rule. Present when a rule of a policy file asks. */
  readonly version?: string | undefined;
  /** Every rule that asks, beginning with `rule`. Present when there is more than one. */
  readonly asks?:
    | readonly {
        readonly rule: string;
        readonly reason: string;
        /** The position of the rule: `policies.yaml:12`. */
        readonly at?: string | undefined;
        readonly version?: string | undefined;
      }[]
    | undefined;
  /** The values that the rule evaluated, without secrets. */
  readonly values?: { readonly [name: string]: unknown } | undefined;
  /** The version of the policy that decided. */
  readonly policy?: string | undefined;
  /** The decision of the rules, when a permission mode, a remembered approval or the protection of files overrode it. */
  readonly ruled?:
    | { readonly answer: 'allow' | 'ask' | 'deny'; readonly rule: string; readonly reason: string }
    | undefined;
  /** The protected or inaccessible files that the call names, with links resolved. */
  readonly protectedFiles?: readonly string[] | undefined;
  /** Why each of `protectedFiles` is protected, by its path. */
  readonly protectedRoles?: { readonly [name: string]: string } | undefined;
  /** The decisions of rules in shadow mode. */
  readonly shadow?:
    | readonly { readonly answer: 'allow' | 'ask' | 'deny'; readonly rule: string; readonly reason: string }[]
    | undefined;
};

export type DenyCallRequest = DenyRequest & {
  /** The id of the call in the model’s output, as in the events. */
  readonly toolCallId: string;
  /** The approval that was shown. Recommended; required when the model uses one id for several calls. */
  readonly approvalId?: string | undefined;
};

export type DenyRequest = {
  /** Returned to the caller. */
  readonly reason?: string | undefined;
};

/** The effect of a tool on the world. */
export type Effect = 'read' | 'undoable' | 'compensable' | 'irreversible';

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: { readonly [name: string]: unknown } | undefined }
  | { readonly action: 'decline' | 'cancel' };

export type ElicitationPage = { readonly items: readonly ElicitationRequired[] };

export type ElicitationRequired = {
  /** Starts at 1, without gaps. */
  readonly seq: number;
  readonly sessionId: string;
  readonly at: string;
  readonly type: 'elicitation_required';
  /** The id of the call in the model’s output. */
  readonly toolCallId: string;
  readonly elicitationId: string;
  /** The server that asks. */
  readonly server: string;
  /** A form to fill in, a page to open, or permission to send a request to a model. */
  readonly mode: 'form' | 'url' | 'sampling';
  readonly message: string;
  /** For a form: the JSON Schema of `content`. */
  readonly requestedSchema?: { readonly [name: string]: unknown } | undefined;
  /** The page to open. Show the complete URL before opening it. */
  readonly url?: string | undefined;
  /** For sampling: the model that would be used. */
  readonly model?: string | undefined;
  /** For sampling: the parameters of `sampling/createMessage`. */
  readonly request?: { readonly [name: string]: unknown } | undefined;
  readonly expiresAt: string;
};

export type EndedCallDetails = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** The arguments that the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The arguments as the caller sent them, when defaults, configured values or transforms changed them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The name on the server, when the tool was renamed. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool has its own undo function. */
  readonly ownUndo?: true | undefined;
  /** The machine on which an undoable tool ran, and on which it can be undone. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the complete arguments that the tool received, in canonical form (RFC 8785). Absent for reads whose entry contains all arguments. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count this call, because it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call bypassed Signalbox and was only observed. */
  readonly observed?: true | undefined;
  /** The approval that the call used. */
  readonly approvalId?: string | undefined;
  /** The original call, whose arguments a human edited. */
  readonly replaces?: string | undefined;
  readonly type: 'ToolInvoked';
  readonly outcome: Outcome;
  /** From receipt to end, including the wait for approval. */
  readonly durationMs: number | null;
  /** The result as text, up to 1000 characters. */
  readonly output: string;
  readonly cached?: true | undefined;
  readonly error?: CallError | undefined;
  /** The number of attempts, when there was more than one. */
  readonly attempts?: number | undefined;
  /** The cost of the call as reported by the tool. */
  readonly costUsd?: number | undefined;
  /** The outcome that a human determined for a call with an unknown outcome. */
  readonly settled?:
    | {
        readonly as: 'completed' | 'failed';
        readonly by: Principal;
        readonly at: string;
        readonly note?: string | undefined;
      }
    | undefined;
  /** The changes in its workspace. */
  readonly changes?: readonly FileChange[] | undefined;
  /** The total number of changes, when not all are listed. */
  readonly changesTotal?: number | undefined;
  /** The digest of the outcome that is stored for the idempotency key. */
  readonly claimDigest?: string | undefined;
  /** The digest of the outcome that is stored for replay. */
  readonly recordingDigest?: string | undefined;
  /** Whether the tool ran, or may have run. */
  readonly ran: boolean;
  /** The part of the duration that was spent waiting for a human. */
  readonly waitedMs?: number | undefined;
  /** The complete result, when the call was recorded for replay; `output` is its beginning. */
  readonly result?:
    | {
        readonly content: readonly ContentBlock[];
        /** Any JSON value. */
        readonly structuredContent?: unknown;
      }
    | undefined;
  /** The length of the complete result, when `/api/results/{id}` serves it. */
  readonly keptCharacters?: number | undefined;
  readonly approval?: Approval | undefined;
  readonly undo: UndoStanding;
  /** Every entry about the call, oldest first. */
  readonly history: readonly JournalEntry[];
};

/** A file that a call changed in its workspace. */
export type FileChange = {
  readonly workspace?: string | undefined;
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  /** A unified diff, for text files up to a size limit. */
  readonly diff?: string | undefined;
  readonly note?: string | undefined;
};

export type FoundServers = {
  readonly items: readonly {
    /** The name it would get. */
    readonly name: string;
    /** The configuration entry, with references instead of secrets. */
    readonly entry: { readonly [name: string]: unknown };
    readonly from: readonly { readonly client: string; readonly file: string }[];
    readonly notes: readonly string[];
    /** The names of the secrets that would be stored encrypted. */
    readonly secrets: readonly string[];
  }[];
};

/** Any response means alive; `ok` means ready for calls. */
export type Health = {
  readonly status: 'ok' | 'stopping' | 'unavailable';
  readonly journal: 'ok' | 'unavailable';
  /** Whether every required server is up. */
  readonly servers: 'ok' | 'unavailable';
  /** The number of servers in their first start. Readiness waits only for required servers. */
  readonly starting: number;
};

/** A part of the arguments that is not shown. */
export type HiddenPart = {
  /** JSON Pointer (RFC 6901) to the value in `arguments` that contains the placeholder. */
  readonly path: string;
  /** Position of the placeholder in the string at `path`, in UTF-16 code units. */
  readonly start: number;
  /** Number of UTF-16 code units that are not shown. */
  readonly length: number;
  /** `registered` is a registered secret value. The others only resemble one and can be revealed: `pattern` has the form of a token, `key` is the value of a key such as `password`, `size` is too long to store. */
  readonly kind: 'registered' | 'pattern' | 'key' | 'size';
  /** The text at `start` that replaces the part. */
  readonly placeholder: string;
  /** The part is in the name of the property at `path`, not in its value. */
  readonly inName?: true | undefined;
};

/** A tool that is not offered, and why. */
export type HiddenTool = {
  readonly name: string;
  readonly server: string;
  /** The tool name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The name on the server, when the tool was renamed. */
  readonly renamedFrom?: string | undefined;
  readonly by:
    | 'server-disabled'
    | 'server-down'
    | 'name-collision'
    | 'definition-invalid'
    | 'lock'
    | 'rule'
    | 'transform'
    | 'profile';
  readonly reason: string;
  readonly since: string;
};

export type Info = {
  readonly product: 'Signalbox';
  readonly version: string;
  /** The role of this process: `web` leaves turns and jobs to workers. */
  readonly role: 'all' | 'web' | 'worker';
  /** The caller. Each operation lists its roles in `x-roles`. */
  readonly reader: { readonly id: string; readonly name?: string | undefined; readonly role: Role };
  readonly startedAt: string;
  readonly uptimeSeconds: number;
  /** The number of tools that can be called. */
  readonly tools: number;
  readonly servers: { readonly up: number; readonly down: number; readonly disabled: number };
  /** The location of the journal. */
  readonly journal: string;
  readonly configuration?:
    | {
        readonly file: string;
        /** Present when the files have changed and are invalid: the previous configuration stays active. */
        readonly refused?:
          | {
              readonly since: string;
              /** The errors with their positions. */
              readonly details: readonly string[];
            }
          | undefined;
      }
    | undefined;
};

export type Interruption = {
  /** Whether a turn was running or queued. */
  readonly interrupted: boolean;
};

/** Starts a session with a prompt at scheduled times. */
export type Job = {
  readonly id: string;
  /** Minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  readonly timezone: string;
  /** The first message of each session. */
  readonly prompt: string;
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly owner: Principal;
  readonly createdAt: string;
  readonly nextAt: string;
  readonly lastRunAt?: string | undefined;
  /** The session of the last run that started one. */
  readonly lastSession?: string | undefined;
  /** Why the last run started no session. */
  readonly lastError?: string | undefined;
};

export type JobPage = { readonly items: readonly Job[] };

export type JournalEntry =
  | CallStarted
  | ToolInvoked
  | ServerChanged
  | ConfigurationChanged
  | ContentRead
  | ApprovalRequested
  | ApprovalRevealed
  | ApprovalResolved
  | RuleRevoked
  | CallSettled
  | UndoStarted
  | Undone
  | TokenCreated
  | TokenRevoked
  | AuthorityChanged;

export type JournalPage = {
  readonly items: readonly JournalEntry[];
  /** The `before` of the next page, or its `after` when reading oldest first. Absent on the last page. */
  readonly next?: number | undefined;
  /** Present on the last page when older entries were pruned and moved to archives. */
  readonly pruned?:
    | {
        /** The last pruned entry. */
        readonly seq: number;
        /** When that entry was written. */
        readonly at: string;
      }
    | undefined;
};

/** A JSON Schema as its author wrote it. */
export type JsonSchema = boolean | { readonly [name: string]: unknown };

/** The `data` of one event. */
export type LiveEvent =
  | Ready
  | CallStarted
  | ToolInvoked
  | ServerChanged
  | ConfigurationChanged
  | ContentRead
  | ApprovalRequested
  | ApprovalRevealed
  | ApprovalResolved
  | RuleRevoked
  | CallSettled
  | UndoStarted
  | Undone
  | TokenCreated
  | TokenRevoked
  | AuthorityChanged
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'user_message';
      readonly turnId: string;
      readonly content: string;
      readonly by: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'text_delta';
      readonly text: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'thinking_delta';
      readonly text: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_start';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly toolName: string;
      readonly server: string;
      readonly tool: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_delta';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      /** A part of the input as JSON text. */
      readonly inputJson: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_end';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly input: { readonly [name: string]: unknown };
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_progress';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly progress: {
        readonly progress: number;
        readonly total?: number | undefined;
        readonly message?: string | undefined;
      };
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_result';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly outcome: Outcome;
      readonly content: readonly ContentBlock[];
      readonly durationMs: number;
      /** The id of the call in the journal: `/api/calls/{id}`. */
      readonly callId?: string | undefined;
      readonly changes?: readonly FileChange[] | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_required';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly toolName: string;
      readonly input: { readonly [name: string]: unknown };
      /** The parts that `input` does not show. */
      readonly hidden?: readonly HiddenPart[] | undefined;
      readonly reason: string;
      readonly rule: string;
      readonly expiresAt: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_resolved';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly decision: 'approved' | 'denied' | 'expired';
      readonly by: string;
      /** Why the question was withdrawn: the call was cancelled, or the turn or its process ended. */
      readonly reason?: string | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_prompt';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly questions: readonly {
        readonly question: string;
        readonly header?: string | undefined;
        readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
        readonly multiSelect?: boolean | undefined;
      }[];
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_answered';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly by: string;
    }
  | ElicitationRequired
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'elicitation_resolved';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly elicitationId: string;
      /** `accept` (with `content` for a form), `decline` (an explicit refusal) or `cancel` (dismissed without an answer). */
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly by: string;
      /** Why the question was closed without an answer; absent when a person answered. */
      readonly reason?: string | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'sampling_result';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly server: string;
      readonly model: string;
      /** The content that the server received. */
      readonly content?: unknown;
      /** Why the model gave no answer. */
      readonly error?: string | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'session_status';
      readonly model?: string | undefined;
      readonly permissionMode: PermissionMode;
      readonly servers: readonly {
        readonly name: string;
        /** `up`, `down`, `disabled`, `starting` or `needs-sign-in`. */
        readonly status: string;
        readonly tools: number;
        readonly error?: string | undefined;
      }[];
      readonly costUsd?: number | undefined;
      readonly contextTokens?: number | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'done';
      readonly reason: TurnReason;
    }
  | CatalogChange
  | CallerChange;

export type Lock = { readonly items: readonly ServerStanding[] };

export type McpClient = {
  /** The name as reported by the client. */
  readonly name: string;
  readonly version: string;
  /** The protocol version of the connection. */
  readonly protocolVersion: string;
  /** The id of the principal. */
  readonly principal: string;
  readonly profile?: string | undefined;
  /** The session name of its calls in the journal. */
  readonly sessionId: string;
  readonly since: string;
  readonly lastSeenAt: string;
  /** Whether a request is running or the client listens for changes. */
  readonly inUse: boolean;
  /** The latest call, without an outcome while it runs. */
  readonly lastCall?:
    | { readonly callId: string; readonly tool: string; readonly at: string; readonly outcome?: Outcome | undefined }
    | undefined;
};

export type McpClients = {
  /** The clients of the last half hour, the latest first. */
  readonly items: readonly McpClient[];
  readonly connect: {
    /** The URL of the MCP endpoint. */
    readonly url: string;
    /** The file with the token for agents on this machine. */
    readonly tokenFile?: string | undefined;
    /** Shell commands that connect a client. They read the token from its file. */
    readonly commands: readonly { readonly client: string; readonly command: string }[];
  };
};

export type NewJob = {
  /** Minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** The default is the time zone of the server. */
  readonly timezone?: string | undefined;
  /** The first message of each session. */
  readonly prompt: string;
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
};

export type NewMessage = {
  readonly content?: string | undefined;
  /** A prompt of a server, which precedes the content. */
  readonly prompt?:
    | {
        readonly server: string;
        readonly name: string;
        readonly arguments?: { readonly [name: string]: string } | undefined;
      }
    | undefined;
  /** Resources of servers to attach to the message. */
  readonly resources?: readonly { readonly server: string; readonly uri: string }[] | undefined;
  /** A message with the same key within a day starts no second turn, at any replica. */
  readonly idempotencyKey?: string | undefined;
};

export type NewPolicies = {
  /** Rules, as in `policies.yaml`. */
  readonly rules?: readonly { readonly [name: string]: unknown }[] | undefined;
  /** The text of a `policies.yaml`, instead of `rules`. */
  readonly text?: string | undefined;
  /** Writes `text` to the policy file, so that it persists. Requires a configuration. */
  readonly save?: boolean | undefined;
  /** The fingerprint of the edited file: the request is refused when the file has changed since. */
  readonly seen?: string | undefined;
};

export type NewServer = {
  readonly name: string;
  /** The entry as under `mcpServers` in the configuration. */
  readonly entry: { readonly [name: string]: unknown };
};

export type NewSession = {
  /** One of `/api/agents`; the default agent if omitted. */
  readonly agent?: string | undefined;
  /** The absolute path of the working directory. */
  readonly cwd?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly title?: string | undefined;
};

/** How a call ended. */
export type Outcome =
  | 'completed'
  | 'failed'
  | 'denied'
  | 'awaiting-approval'
  | 'timed-out'
  | 'cancelled'
  | 'stale'
  | 'unknown';

/** The permission mode of the agent. `default` follows the policy; `acceptEdits` asks only about irreversible calls; `plan` allows only reads; `dontAsk` denies calls that would ask; `bypassPermissions` never asks. A rule that denies applies in every mode. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

/** The active policies. */
export type Policies = {
  /** Changes with every rule; absent without a policy. */
  readonly version?: string | undefined;
  readonly rules: readonly {
    /** Any JSON value. */
    readonly rule?: unknown;
    /** The position of the rule: `policies.yaml:12`. */
    readonly at?: string | undefined;
  }[];
  /** The names of the policies that are defined in code. */
  readonly code: readonly string[];
  /** The policy file. Absent without a configuration, or when the configuration contains the rules. */
  readonly file?:
    | {
        readonly file: string;
        /** The current text. It is not active when it has errors. */
        readonly text: string;
        /** Changes with the text: send it as `seen`. */
        readonly fingerprint: string;
      }
    | undefined;
};

/** All errors in rules, with their positions. */
export type PolicyCheck = {
  readonly valid: boolean;
  /** Present when the rules are valid. */
  readonly version?: string | undefined;
  readonly rules: number;
  readonly problems: readonly {
    /** Starts at 1; 0 for `rules`. */
    readonly line: number;
    readonly column: number;
    /** The position in the document: `[0].deny`. */
    readonly path: string;
    readonly message: string;
    readonly hint?: string | undefined;
  }[];
};

export type PolicyCheckRequest = {
  /** Rules, as in `policies.yaml`. */
  readonly rules?: readonly { readonly [name: string]: unknown }[] | undefined;
  /** The text of a `policies.yaml`, instead of `rules`. */
  readonly text?: string | undefined;
};

/** The caller. Humans may approve, agents may not. */
export type Principal = {
  readonly id: string;
  readonly kind: 'human' | 'agent' | 'system';
  /** A display name. It is not unique; `id` is. */
  readonly name?: string | undefined;
};

export type Problem = {
  /** `urn:signalbox:problem:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** A stable code for programs. */
  readonly code:
    | 'request-malformed'
    | 'request-invalid'
    | 'policy-invalid'
    | 'body-malformed'
    | 'token-missing'
    | 'token-wrong'
    | 'token-expired'
    | 'browser-key-wrong'
    | 'origin-refused'
    | 'scope-missing'
    | 'role-refused'
    | 'approver-refused'
    | 'content-denied'
    | 'route-unknown'
    | 'tool-unknown'
    | 'call-unknown'
    | 'server-unknown'
    | 'sessions-absent'
    | 'profile-unknown'
    | 'configuration-absent'
    | 'result-unknown'
    | 'approval-unknown'
    | 'rule-unknown'
    | 'job-unknown'
    | 'session-unknown'
    | 'agent-unknown'
    | 'question-unknown'
    | 'elicitation-unknown'
    | 'token-unknown'
    | 'undo-unavailable'
    | 'undo-done'
    | 'undo-conflict'
    | 'method-refused'
    | 'server-local'
    | 'server-down'
    | 'name-collision'
    | 'sign-in-refused'
    | 'server-unavailable'
    | 'content-failed'
    | 'sign-in-failed'
    | 'file-outdated'
    | 'setting-refused'
    | 'lock-outdated'
    | 'configuration-invalid'
    | 'configuration-untrusted'
    | 'approval-answered'
    | 'approval-expired'
    | 'hidden-unacknowledged'
    | 'reveal-unavailable'
    | 'question-answered'
    | 'elicitation-closed'
    | 'call-settled'
    | 'body-too-large'
    | 'body-type-unsupported'
    | 'job-invalid'
    | 'session-invalid'
    | 'elicitation-invalid'
    | 'token-invalid'
    | 'edit-invalid'
    | 'remember-refused'
    | 'host-refused'
    | 'attempts-exceeded'
    | 'streams-exhausted'
    | 'calls-exhausted'
    | 'session-busy'
    | 'file-unwritable'
    | 'internal-fault'
    | 'box-closed'
    | 'overloaded'
    | 'issuer-unreachable'
    | 'store-unavailable';
  /** What happened, and how to fix it. */
  readonly detail: string;
  /** The errors in the request, with their locations. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** Identifies this occurrence in the log of the server. */
  readonly instance?: string | undefined;
};

export type Prompt = {
  readonly server: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly {
        readonly name: string;
        readonly description?: string | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
};

/** The response of the server, as defined by MCP. */
export type PromptMessages = { readonly messages: readonly { readonly role: string }[] };

/** All missed entries have been sent, and live events follow. Data that is loaded now can be kept up to date with the events. */
export type Ready = {
  /** The newest journal entry that was sent. */
  readonly seq: number;
  /** The version of the catalog. */
  readonly catalog: number;
};

/** An approval that applies to more than one call. */
export type RememberedRule = {
  readonly id: string;
  readonly scope: RememberScope;
  readonly principal: Principal;
  readonly server: string;
  readonly tool?: string | undefined;
  readonly definitionHash?: string | undefined;
  readonly session?: string | undefined;
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  readonly argumentsHash?: string | undefined;
  /** The policy rules whose questions it answers, in the version that asked. */
  readonly answers: readonly { readonly rule: string; readonly version?: string | undefined }[];
  readonly by: Principal;
  readonly at: string;
  readonly approval: string;
};

export type RememberPreview = {
  readonly rule: RememberedRule;
  /** The number of recorded calls that would have run without a question. */
  readonly count: number;
  /** The number of those calls that a human denied. */
  readonly denied: number;
  readonly examples: readonly Approval[];
};

/** The scope of a remembered approval: the tool in this session, exactly these arguments, the tool, or its server. Approvals of irreversible tools are remembered only for exactly the same arguments. */
export type RememberScope = 'session' | 'arguments' | 'tool' | 'server';

/** The recorded and replayed calls of a session, in the order in which they ended. */
export type Replay = {
  readonly items: readonly {
    /** The recorded call. */
    readonly callId: string;
    readonly tool: string;
    readonly recorded: Outcome;
    readonly replayed: Outcome;
    /** What differs: the outcome, the content of the result, or only the decision. */
    readonly differs: 'no' | 'outcome' | 'content' | 'decision';
    readonly error?: CallError | undefined;
    readonly decision?: Decision | undefined;
  }[];
  /** The number of calls that differ. */
  readonly changed: number;
};

export type ReplayRequest = {
  /** The text of a `policies.yaml` that decides the calls. */
  readonly text?: string | undefined;
};

export type Resource = {
  readonly server: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly uri: string;
  readonly mimeType?: string | undefined;
};

/** The response of the server, as defined by MCP. */
export type ResourceContents = { readonly contents: readonly { readonly uri?: string | undefined }[] };

export type ResourceTemplate = {
  readonly server: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly uriTemplate: string;
  readonly mimeType?: string | undefined;
};

export type ResultPage = {
  /** The principal who made the call. */
  readonly owner: string;
  readonly mimeType: string;
  readonly text: string;
  readonly offset: number;
  /** The length of the complete text, in UTF-16 code units. */
  readonly total: number;
  /** The `offset` of the next page. Absent on the last page. */
  readonly next?: number | undefined;
};

export type RevealedArguments = {
  /** The arguments that the tool would receive. Only registered secret values are hidden. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The registered secret values that `arguments` does not show. */
  readonly hidden: readonly HiddenPart[];
};

/** `viewer` reads; `agent` calls tools, runs turns and sees only its own calls and sessions; `approver` reads, approves and undoes; `admin` may do everything. */
export type Role = 'viewer' | 'agent' | 'approver' | 'admin';

export type RulePage = { readonly items: readonly RememberedRule[] };

/** A remembered approval was revoked. */
export type RuleRevoked = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'RuleRevoked';
  readonly rule: string;
  readonly by: Principal;
};

export type RunningCallDetails = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** The arguments that the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The arguments as the caller sent them, when defaults, configured values or transforms changed them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The name on the server, when the tool was renamed. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool has its own undo function. */
  readonly ownUndo?: true | undefined;
  /** The machine on which an undoable tool ran, and on which it can be undone. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the complete arguments that the tool received, in canonical form (RFC 8785). Absent for reads whose entry contains all arguments. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count this call, because it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call bypassed Signalbox and was only observed. */
  readonly observed?: true | undefined;
  /** The approval that the call used. */
  readonly approvalId?: string | undefined;
  /** The original call, whose arguments a human edited. */
  readonly replaces?: string | undefined;
  readonly type: 'CallStarted';
  /** The complete result, when the call was recorded for replay; `output` is its beginning. */
  readonly result?:
    | {
        readonly content: readonly ContentBlock[];
        /** Any JSON value. */
        readonly structuredContent?: unknown;
      }
    | undefined;
  /** The length of the complete result, when `/api/results/{id}` serves it. */
  readonly keptCharacters?: number | undefined;
  readonly approval?: Approval | undefined;
  readonly undo: UndoStanding;
  /** Every entry about the call, oldest first. */
  readonly history: readonly JournalEntry[];
};

export type SentMessage = {
  readonly turnId: string;
  /** The events of the turn have a greater seq. */
  readonly afterSeq: number;
  /** The number of turns before it in the queue. */
  readonly position: number;
  /** The message contained registered secrets, which were replaced with `[redacted:NAME]` before storage and for the model. */
  readonly redacted?: true | undefined;
};

export type Server = {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** The time of the last change of `status`. */
  readonly since: string;
  /** Why the server is not up. */
  readonly reason?: string | undefined;
  /** The server is down until a person signs in to it. */
  readonly needsSignIn?: true | undefined;
  /** The server is down and reports an error of its own, which its operator can fix. */
  readonly isFailing?: true | undefined;
  /** The first connection attempt is not finished. */
  readonly connecting?: true | undefined;
  /** Turns and readiness require this server. */
  readonly required?: true | undefined;
  /** The number of its tools that can be called. */
  readonly tools: number;
};

/** A server was added or removed, or its status changed. */
export type ServerChanged = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly type: 'ServerChanged';
  readonly server: string;
  readonly status: 'up' | 'down' | 'disabled' | 'removed';
  readonly tools: number;
  readonly reason?: string | undefined;
};

export type ServerDetails = {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** The time of the last change of `status`. */
  readonly since: string;
  /** Why the server is not up. */
  readonly reason?: string | undefined;
  /** The server is down until a person signs in to it. */
  readonly needsSignIn?: true | undefined;
  /** The server is down and reports an error of its own, which its operator can fix. */
  readonly isFailing?: true | undefined;
  /** The first connection attempt is not finished. */
  readonly connecting?: true | undefined;
  /** Turns and readiness require this server. */
  readonly required?: true | undefined;
  /** The number of its tools that can be called. */
  readonly tools: number;
  readonly health?: ServerHealth | undefined;
  /** The last sign-in that was started on this server. */
  readonly signIn?:
    | {
        readonly state: 'waiting' | 'signed-in' | 'failed';
        readonly since: string;
        readonly error?: string | undefined;
      }
    | undefined;
  /** The server is in the configuration file, and can be removed from it. */
  readonly configured: boolean;
  /** The last 200 lines of its error output and log. */
  readonly stderr: readonly string[];
};

/** The health of an external server; absent for servers in this process. */
export type ServerHealth = {
  /** `idle`: stopped because it was not used; the next call starts it again. */
  readonly state: 'connecting' | 'up' | 'idle' | 'down' | 'stopped';
  readonly since: string;
  readonly lastError?: string | undefined;
  readonly nextRetryAt?: string | undefined;
  /** The number of reconnections. */
  readonly restarts: number;
  readonly protocolVersion?: string | undefined;
  /** The name and version as reported by the server. */
  readonly serverInfo?: { readonly [name: string]: unknown } | undefined;
};

export type ServerPage = { readonly items: readonly ServerState[] };

/** The difference between a server and signalbox.lock or, when it is not locked, its pinned definitions. */
export type ServerStanding = {
  readonly server: string;
  /** `missing`: locked, but no longer configured. */
  readonly status: 'unlocked' | 'unchanged' | 'changed' | 'down' | 'disabled' | 'missing';
  readonly isLocked: boolean;
  /** The server is not locked, but its definitions were pinned on first use: calls of changed tools need approval until the change is accepted. */
  readonly isPinned: boolean;
  /** The number of its tools. */
  readonly tools: number;
  /** Why the server is down. */
  readonly reason?: string | undefined;
  readonly diff?:
    | {
        readonly server: string;
        /** The difference of the server’s instructions for models, which are withheld until accepted. */
        readonly instructions?:
          | {
              readonly kind: 'added' | 'removed' | 'changed';
              /** The difference as readable text. */
              readonly text: string;
            }
          | undefined;
        readonly tools: readonly ToolDiff[];
      }
    | undefined;
  /** Identifies the current definitions: send it as `seen`. */
  readonly fingerprint?: string | undefined;
};

export type ServerState = {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** The time of the last change of `status`. */
  readonly since: string;
  /** Why the server is not up. */
  readonly reason?: string | undefined;
  /** The server is down until a person signs in to it. */
  readonly needsSignIn?: true | undefined;
  /** The server is down and reports an error of its own, which its operator can fix. */
  readonly isFailing?: true | undefined;
  /** The first connection attempt is not finished. */
  readonly connecting?: true | undefined;
  /** Turns and readiness require this server. */
  readonly required?: true | undefined;
  /** The number of its tools that can be called. */
  readonly tools: number;
  readonly health?: ServerHealth | undefined;
};

/** A conversation with an agent. */
export type Session = {
  readonly id: string;
  readonly agent: string;
  readonly runtime: string;
  readonly model?: string | undefined;
  readonly title: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  /** `waiting`: a turn waits for a human. `expired`: idle for a long time; the next message resumes it. */
  readonly state: 'idle' | 'running' | 'waiting' | 'expired';
  readonly owner: Principal;
  readonly createdAt: string;
  readonly activeAt: string;
  readonly forkedFrom?: string | undefined;
  /** The number of queued turns. */
  readonly queued: number;
  /** The seq of the last event: `events?after=` this value streams only new events. */
  readonly lastSeq: number;
  readonly lastTurn?: TurnReason | undefined;
};

/** A running turn keeps its permission mode. */
export type SessionChange = {
  readonly title?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
};

/** An event of a session. In a stream, `seq` is the `id` of the server-sent event, and `type` is its `event`. */
export type SessionEvent =
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'user_message';
      readonly turnId: string;
      readonly content: string;
      readonly by: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'text_delta';
      readonly text: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'thinking_delta';
      readonly text: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_start';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly toolName: string;
      readonly server: string;
      readonly tool: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_delta';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      /** A part of the input as JSON text. */
      readonly inputJson: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_end';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly input: { readonly [name: string]: unknown };
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_progress';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly progress: {
        readonly progress: number;
        readonly total?: number | undefined;
        readonly message?: string | undefined;
      };
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_result';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly outcome: Outcome;
      readonly content: readonly ContentBlock[];
      readonly durationMs: number;
      /** The id of the call in the journal: `/api/calls/{id}`. */
      readonly callId?: string | undefined;
      readonly changes?: readonly FileChange[] | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_required';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly toolName: string;
      readonly input: { readonly [name: string]: unknown };
      /** The parts that `input` does not show. */
      readonly hidden?: readonly HiddenPart[] | undefined;
      readonly reason: string;
      readonly rule: string;
      readonly expiresAt: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_resolved';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly decision: 'approved' | 'denied' | 'expired';
      readonly by: string;
      /** Why the question was withdrawn: the call was cancelled, or the turn or its process ended. */
      readonly reason?: string | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_prompt';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly questions: readonly {
        readonly question: string;
        readonly header?: string | undefined;
        readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
        readonly multiSelect?: boolean | undefined;
      }[];
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_answered';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly by: string;
    }
  | ElicitationRequired
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'elicitation_resolved';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly elicitationId: string;
      /** `accept` (with `content` for a form), `decline` (an explicit refusal) or `cancel` (dismissed without an answer). */
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly by: string;
      /** Why the question was closed without an answer; absent when a person answered. */
      readonly reason?: string | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'sampling_result';
      /** The id of the call in the model’s output. */
      readonly toolCallId: string;
      readonly server: string;
      readonly model: string;
      /** The content that the server received. */
      readonly content?: unknown;
      /** Why the model gave no answer. */
      readonly error?: string | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'session_status';
      readonly model?: string | undefined;
      readonly permissionMode: PermissionMode;
      readonly servers: readonly {
        readonly name: string;
        /** `up`, `down`, `disabled`, `starting` or `needs-sign-in`. */
        readonly status: string;
        readonly tools: number;
        readonly error?: string | undefined;
      }[];
      readonly costUsd?: number | undefined;
      readonly contextTokens?: number | undefined;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
    }
  | {
      /** Starts at 1, without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'done';
      readonly reason: TurnReason;
    };

export type SessionPage = {
  readonly items: readonly Session[];
  /** The `after` of the next page. Absent on the last page. */
  readonly next?: string | undefined;
};

export type SettleRequest = {
  readonly as: 'completed' | 'failed';
  /** How the outcome was determined. */
  readonly note?: string | undefined;
};

export type SignInLink = { readonly url: string };

/** The counts, outcomes and latencies of the calls that ended in a time range. */
export type Statistics = {
  /** The start of the first bucket. */
  readonly since: string;
  readonly until: string;
  readonly bucketSeconds: number;
  readonly total: {
    /** The number of calls that ended. */
    readonly calls: number;
    /** The number of calls by outcome, without zeros. */
    readonly outcomes: { readonly [name: string]: number };
    /** The latency of calls that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  };
  /** One entry for each interval in order, including those without calls. */
  readonly buckets: readonly {
    /** The start of the bucket. */
    readonly at: string;
    /** The number of calls that ended. */
    readonly calls: number;
    /** The number of calls by outcome, without zeros. */
    readonly outcomes: { readonly [name: string]: number };
    /** The latency of calls that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  }[];
  /** Most called first; at most 500. */
  readonly tools: readonly {
    readonly tool: string;
    readonly server: string;
    /** The number of calls that ended. */
    readonly calls: number;
    /** The number of calls by outcome, without zeros. */
    readonly outcomes: { readonly [name: string]: number };
    /** The latency of calls that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  }[];
  /** Entries up to this time were pruned from the journal and are not counted. */
  readonly prunedUntil?: string | undefined;
  readonly servers: readonly {
    readonly server: string;
    /** The number of calls that ended. */
    readonly calls: number;
    /** The number of calls by outcome, without zeros. */
    readonly outcomes: { readonly [name: string]: number };
    /** The latency of calls that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  }[];
};

export type SubmitAnswersRequest = {
  /** The id of the call in the model’s output, as in the events. */
  readonly toolCallId: string;
  /** Answers by question. */
  readonly answers: { readonly [name: string]: unknown };
};

export type TakeOver = { readonly names: readonly string[] };

/** An access token was created. */
export type TokenCreated = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly tokenId: string;
  readonly role: Role;
  readonly by: Principal;
  readonly type: 'TokenCreated';
  readonly name?: string | undefined;
  readonly profile?: string | undefined;
  readonly expiresAt?: string | undefined;
  /** The digest of the stored token. */
  readonly digest?: string | undefined;
};

export type TokenPage = { readonly items: readonly AccessToken[] };

export type TokenRequest = {
  readonly role: Role;
  /** Only for the role `agent`. */
  readonly profile?: string | undefined;
  /** A name for people, such as its purpose. */
  readonly name?: string | undefined;
  /** The lifetime, such as `30d` or `12h`; unlimited by default. */
  readonly expires?: string | undefined;
};

/** An access token was revoked. */
export type TokenRevoked = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly tokenId: string;
  readonly role: Role;
  readonly by: Principal;
  readonly type: 'TokenRevoked';
};

export type Tool = {
  readonly id: { readonly server: string; readonly tool: string };
  readonly name: string;
  /** The name on the server, when the tool was renamed. */
  readonly renamedFrom?: string | undefined;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations: {
    readonly title?: string | undefined;
    readonly readOnlyHint?: boolean | undefined;
    readonly destructiveHint?: boolean | undefined;
    readonly idempotentHint?: boolean | undefined;
    readonly openWorldHint?: boolean | undefined;
  };
  readonly effect: Effect;
  readonly idempotent: boolean;
  readonly labels: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly providerOptions?: { readonly [name: string]: unknown } | undefined;
  readonly _meta?: { readonly [name: string]: unknown } | undefined;
  /** Present when every call needs approval, because the definition differs from the accepted one. */
  readonly unaccepted?: { readonly kind: 'changed' | 'new'; readonly reason: string } | undefined;
  /** Identifies the definition. Calls can be pinned to it. */
  readonly definitionHash: string;
};

/** A difference between a tool and its accepted definition. */
export type ToolDiff =
  | { readonly tool: string; readonly kind: 'added'; readonly suspicions: readonly string[] }
  | { readonly tool: string; readonly kind: 'removed' }
  | {
      readonly tool: string;
      readonly kind: 'changed';
      readonly differences: readonly {
        /** The difference as a sentence. */
        readonly text: string;
        /** The same without text from the server. */
        readonly short: string;
        /** The new definition needs more trust than the accepted one. */
        readonly weaker: boolean;
      }[];
    };

/** A call has ended. There is exactly one entry for every call. */
export type ToolInvoked = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** The arguments that the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The arguments as the caller sent them, when defaults, configured values or transforms changed them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The name on the server, when the tool was renamed. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool has its own undo function. */
  readonly ownUndo?: true | undefined;
  /** The machine on which an undoable tool ran, and on which it can be undone. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the complete arguments that the tool received, in canonical form (RFC 8785). Absent for reads whose entry contains all arguments. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count this call, because it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call bypassed Signalbox and was only observed. */
  readonly observed?: true | undefined;
  /** The approval that the call used. */
  readonly approvalId?: string | undefined;
  /** The original call, whose arguments a human edited. */
  readonly replaces?: string | undefined;
  readonly type: 'ToolInvoked';
  readonly outcome: Outcome;
  /** From receipt to end, including the wait for approval. */
  readonly durationMs: number | null;
  /** The result as text, up to 1000 characters. */
  readonly output: string;
  readonly cached?: true | undefined;
  readonly error?: CallError | undefined;
  /** The number of attempts, when there was more than one. */
  readonly attempts?: number | undefined;
  /** The cost of the call as reported by the tool. */
  readonly costUsd?: number | undefined;
  /** The outcome that a human determined for a call with an unknown outcome. */
  readonly settled?:
    | {
        readonly as: 'completed' | 'failed';
        readonly by: Principal;
        readonly at: string;
        readonly note?: string | undefined;
      }
    | undefined;
  /** The changes in its workspace. */
  readonly changes?: readonly FileChange[] | undefined;
  /** The total number of changes, when not all are listed. */
  readonly changesTotal?: number | undefined;
  /** The digest of the outcome that is stored for the idempotency key. */
  readonly claimDigest?: string | undefined;
  /** The digest of the outcome that is stored for replay. */
  readonly recordingDigest?: string | undefined;
};

/** Oldest first. */
export type Transcript = {
  readonly items: readonly TranscriptMessage[];
  /** Send it as `before` to read earlier messages. Absent when there are none. */
  readonly before?: string | undefined;
};

export type TranscriptMessage = {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly at: string;
  readonly content: readonly (
    | { readonly type: 'text' | 'thinking'; readonly text: string }
    | {
        readonly type: 'tool_call';
        readonly toolCallId: string;
        readonly toolName: string;
        readonly input: { readonly [name: string]: unknown };
        /** Absent until the call has ended. */
        readonly result?:
          | {
              readonly outcome?: Outcome | undefined;
              readonly isError: boolean;
              readonly content: readonly ContentBlock[];
              readonly durationMs?: number | undefined;
            }
          | undefined;
      }
  )[];
};

/** Why a turn ended. */
export type TurnReason = 'end' | 'interrupted' | 'error' | 'limit';

/** A change that was not undone, and why. */
export type UndoConflict = { readonly workspace: string; readonly path: string; readonly reason: string };

/** The result of an undo. */
export type Undone = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  readonly type: 'Undone';
  readonly result: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  readonly changes: number;
  readonly conflicts: readonly UndoConflict[];
  readonly error?: string | undefined;
};

export type UndoRequest = {
  /** Restores files without later changes, and skips the rest. */
  readonly partial?: boolean | undefined;
  /** Runs the undo function of the tool again after it failed or was interrupted. */
  readonly again?: boolean | undefined;
  /** How long to wait for running calls in the same workspace, in seconds (60). */
  readonly waitSeconds?: number | undefined;
};

export type UndoResult = {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  /** The changes of the call. */
  readonly changes: readonly FileChange[];
  readonly conflicts: readonly UndoConflict[];
  /** Why the undo failed. */
  readonly error?: string | undefined;
};

export type UndoResults = { readonly items: readonly UndoResult[] };

/** Whether a call can be undone, as far as this is known in advance. */
export type UndoStanding =
  | { readonly state: 'ready'; readonly changes: readonly FileChange[] }
  | {
      readonly state: 'blocked';
      readonly reason: string;
      /** Whether an undo with `partial` would undo the rest. */
      readonly canDoTheRest: boolean;
      readonly changes: readonly FileChange[];
    }
  | { readonly state: 'undone' }
  | { readonly state: 'unavailable'; readonly reason: string };

/** A call is about to be undone. */
export type UndoStarted = {
  /** The position in the journal. */
  readonly seq: number;
  readonly at: string;
  /** The hash that chains the entry to all earlier entries. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  readonly type: 'UndoStarted';
};

export type WaitingCaller = {
  readonly principal: string;
  /** The number of its pending questions. */
  readonly pending: number;
};

/** What each operation takes and answers. */
export interface Operations {
  'DELETE /api/approvals/rules/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: RulePage };
  'DELETE /api/call-streams/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: undefined };
  'DELETE /api/jobs/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: undefined };
  'DELETE /api/servers/{name}': { path: { readonly name: string }; query: {}; body: undefined; answer: undefined };
  'DELETE /api/sessions/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: undefined };
  'DELETE /api/tokens/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: AccessToken };
  'GET /api/agents': { path: {}; query: {}; body: undefined; answer: AgentPage };
  'GET /api/approvals': {
    path: {};
    query: {
      readonly state?: 'pending' | 'open' | 'all' | undefined;
      readonly principal?: string | undefined;
      readonly limit?: number | undefined;
      readonly cursor?: string | undefined;
    };
    body: undefined;
    answer: ApprovalPage;
  };
  'GET /api/approvals/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: Approval };
  'GET /api/approvals/{id}/remember': {
    path: { readonly id: string };
    query: { readonly scope: RememberScope };
    body: undefined;
    answer: RememberPreview;
  };
  'GET /api/approvals/rules': { path: {}; query: {}; body: undefined; answer: RulePage };
  'GET /api/calls': {
    path: {};
    query: {
      readonly session?: string | undefined;
      readonly tool?: string | undefined;
      readonly server?: string | undefined;
      readonly outcome?: Outcome | undefined;
      readonly decision?: 'allow' | 'ask' | 'deny' | undefined;
      readonly principal?: string | undefined;
      readonly shadowed?: 'true' | undefined;
      readonly text?: string | undefined;
      readonly since?: string | undefined;
      readonly until?: string | undefined;
      readonly before?: number | null | undefined;
      readonly after?: number | null | undefined;
      readonly order?: 'newest-first' | 'oldest-first' | undefined;
      readonly limit?: number | undefined;
    };
    body: undefined;
    answer: CallPage;
  };
  'GET /api/calls/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: CallDetails };
  'GET /api/clients': { path: {}; query: {}; body: undefined; answer: McpClients };
  'GET /api/elicitations': {
    path: {};
    query: { readonly session?: string | undefined };
    body: undefined;
    answer: ElicitationPage;
  };
  'GET /api/events': {
    path: {};
    query: { readonly after?: string | undefined; readonly types?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  'GET /api/health': { path: {}; query: {}; body: undefined; answer: Health };
  'GET /api/health/live': { path: {}; query: {}; body: undefined; answer: Alive };
  'GET /api/health/ready': { path: {}; query: {}; body: undefined; answer: Health };
  'GET /api/import': { path: {}; query: {}; body: undefined; answer: FoundServers };
  'GET /api/info': { path: {}; query: {}; body: undefined; answer: Info };
  'GET /api/jobs': { path: {}; query: {}; body: undefined; answer: JobPage };
  'GET /api/journal': {
    path: {};
    query: {
      readonly session?: string | undefined;
      readonly tool?: string | undefined;
      readonly server?: string | undefined;
      readonly outcome?: Outcome | undefined;
      readonly decision?: 'allow' | 'ask' | 'deny' | undefined;
      readonly principal?: string | undefined;
      readonly shadowed?: 'true' | undefined;
      readonly text?: string | undefined;
      readonly since?: string | undefined;
      readonly until?: string | undefined;
      readonly before?: number | null | undefined;
      readonly after?: number | null | undefined;
      readonly order?: 'newest-first' | 'oldest-first' | undefined;
      readonly limit?: number | undefined;
      readonly type?:
        | 'CallStarted'
        | 'ToolInvoked'
        | 'ServerChanged'
        | 'ConfigurationChanged'
        | 'ContentRead'
        | 'ApprovalRequested'
        | 'ApprovalRevealed'
        | 'ApprovalResolved'
        | 'RuleRevoked'
        | 'CallSettled'
        | 'UndoStarted'
        | 'Undone'
        | 'TokenCreated'
        | 'TokenRevoked'
        | 'AuthorityChanged'
        | undefined;
    };
    body: undefined;
    answer: JournalPage;
  };
  'GET /api/lock': { path: {}; query: {}; body: undefined; answer: Lock };
  'GET /api/policies': { path: {}; query: {}; body: undefined; answer: Policies };
  'GET /api/prompts': { path: {}; query: {}; body: undefined; answer: { readonly items: readonly Prompt[] } };
  'GET /api/resources': {
    path: {};
    query: {};
    body: undefined;
    answer: { readonly items: readonly Resource[]; readonly templates: readonly ResourceTemplate[] };
  };
  'GET /api/results/{id}': {
    path: { readonly id: string };
    query: { readonly offset?: number | null | undefined; readonly limit?: number | undefined };
    body: undefined;
    answer: ResultPage;
  };
  'GET /api/servers': { path: {}; query: {}; body: undefined; answer: ServerPage };
  'GET /api/servers/{name}': { path: { readonly name: string }; query: {}; body: undefined; answer: ServerDetails };
  'GET /api/sessions': {
    path: {};
    query: {
      readonly limit?: number | undefined;
      readonly after?: string | undefined;
      readonly cwd?: string | undefined;
      readonly owner?: string | undefined;
      readonly active?: string | undefined;
    };
    body: undefined;
    answer: SessionPage;
  };
  'GET /api/sessions/{id}': { path: { readonly id: string }; query: {}; body: undefined; answer: Session };
  'GET /api/sessions/{id}/events': {
    path: { readonly id: string };
    query: { readonly after?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  'GET /api/sessions/{id}/messages': {
    path: { readonly id: string };
    query: { readonly limit?: number | undefined; readonly before?: string | undefined };
    body: undefined;
    answer: Transcript;
  };
  'GET /api/statistics': {
    path: {};
    query: {
      readonly since?: string | undefined;
      readonly until?: string | undefined;
      readonly bucketSeconds?: number | undefined;
      readonly tool?: string | undefined;
      readonly server?: string | undefined;
    };
    body: undefined;
    answer: Statistics;
  };
  'GET /api/tokens': { path: {}; query: {}; body: undefined; answer: TokenPage };
  'GET /api/tools': { path: {}; query: { readonly profile?: string | undefined }; body: undefined; answer: Catalog };
  'GET /api/tools/{name}': { path: { readonly name: string }; query: {}; body: undefined; answer: Tool };
  'PATCH /api/sessions/{id}': { path: { readonly id: string }; query: {}; body: SessionChange; answer: Session };
  'POST /api/approvals/{id}/approve': {
    path: { readonly id: string };
    query: {};
    body: ApproveRequest;
    answer: Approval;
  };
  'POST /api/approvals/{id}/deny': { path: { readonly id: string }; query: {}; body: DenyRequest; answer: Approval };
  'POST /api/approvals/{id}/reveal': {
    path: { readonly id: string };
    query: {};
    body: undefined;
    answer: RevealedArguments;
  };
  'POST /api/call-questions/{id}': {
    path: { readonly id: string };
    query: {};
    body: ElicitationAnswer;
    answer: undefined;
  };
  'POST /api/calls/{id}/settle': { path: { readonly id: string }; query: {}; body: SettleRequest; answer: CallEntry };
  'POST /api/calls/{id}/undo': { path: { readonly id: string }; query: {}; body: UndoRequest; answer: UndoResult };
  'POST /api/import': { path: {}; query: {}; body: TakeOver; answer: ChangedServers };
  'POST /api/jobs': { path: {}; query: {}; body: NewJob; answer: Job };
  'POST /api/jobs/{id}/run': { path: { readonly id: string }; query: {}; body: undefined; answer: Job };
  'POST /api/lock/{server}/accept': {
    path: { readonly server: string };
    query: {};
    body: AcceptRequest;
    answer: ServerStanding;
  };
  'POST /api/policies/backtest': { path: {}; query: {}; body: BacktestRequest; answer: Backtest };
  'POST /api/policies/check': { path: {}; query: {}; body: PolicyCheckRequest; answer: PolicyCheck };
  'POST /api/prompts/get': {
    path: {};
    query: {};
    body: {
      readonly server: string;
      readonly name: string;
      readonly arguments?: { readonly [name: string]: string } | undefined;
    };
    answer: PromptMessages;
  };
  'POST /api/resources/read': {
    path: {};
    query: {};
    body: { readonly server: string; readonly uri: string };
    answer: ResourceContents;
  };
  'POST /api/servers': { path: {}; query: {}; body: NewServer; answer: ChangedServers };
  'POST /api/servers/{name}/disable': {
    path: { readonly name: string };
    query: {};
    body: undefined;
    answer: ServerState;
  };
  'POST /api/servers/{name}/enable': {
    path: { readonly name: string };
    query: {};
    body: undefined;
    answer: ServerState;
  };
  'POST /api/servers/{name}/restart': {
    path: { readonly name: string };
    query: {};
    body: undefined;
    answer: ServerState;
  };
  'POST /api/servers/{name}/sign-in': {
    path: { readonly name: string };
    query: {};
    body: undefined;
    answer: BegunSignIn;
  };
  'POST /api/sessions': { path: {}; query: {}; body: NewSession; answer: Session };
  'POST /api/sessions/{id}/answer-elicitation': {
    path: { readonly id: string };
    query: {};
    body: AnswerElicitationRequest;
    answer: Session;
  };
  'POST /api/sessions/{id}/approve': {
    path: { readonly id: string };
    query: {};
    body: ApproveCallRequest;
    answer: Session;
  };
  'POST /api/sessions/{id}/deny': { path: { readonly id: string }; query: {}; body: DenyCallRequest; answer: Session };
  'POST /api/sessions/{id}/fork': { path: { readonly id: string }; query: {}; body: undefined; answer: Session };
  'POST /api/sessions/{id}/interrupt': {
    path: { readonly id: string };
    query: {};
    body: undefined;
    answer: Interruption;
  };
  'POST /api/sessions/{id}/messages': {
    path: { readonly id: string };
    query: {};
    body: NewMessage;
    answer: undefined | SentMessage;
  };
  'POST /api/sessions/{id}/replay': { path: { readonly id: string }; query: {}; body: ReplayRequest; answer: Replay };
  'POST /api/sessions/{id}/submit-answers': {
    path: { readonly id: string };
    query: {};
    body: SubmitAnswersRequest;
    answer: Session;
  };
  'POST /api/sessions/{id}/undo': { path: { readonly id: string }; query: {}; body: UndoRequest; answer: UndoResults };
  'POST /api/sign-in-links': {
    path: {};
    query: { readonly name?: string | undefined };
    body: undefined;
    answer: SignInLink;
  };
  'POST /api/sign-out': { path: {}; query: {}; body: undefined; answer: undefined };
  'POST /api/tokens': { path: {}; query: {}; body: TokenRequest; answer: CreatedToken };
  'POST /api/tools/{name}/call': { path: { readonly name: string }; query: {}; body: CallRequest; answer: CallResult };
  'PUT /api/policies': { path: {}; query: {}; body: NewPolicies; answer: Policies };
}

/** Which roles an operation takes, where it asks who somebody is. */
export const rolesOf: Readonly<Partial<Record<keyof Operations, readonly Role[]>>> = {
  'DELETE /api/approvals/rules/{id}': ['admin'],
  'DELETE /api/call-streams/{id}': ['agent', 'admin'],
  'DELETE /api/jobs/{id}': ['admin'],
  'DELETE /api/servers/{name}': ['admin'],
  'DELETE /api/sessions/{id}': ['agent', 'admin'],
  'DELETE /api/tokens/{id}': ['admin'],
  'GET /api/agents': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/approvals': ['viewer', 'approver', 'admin'],
  'GET /api/approvals/{id}': ['viewer', 'approver', 'admin'],
  'GET /api/approvals/{id}/remember': ['viewer', 'approver', 'admin'],
  'GET /api/approvals/rules': ['viewer', 'approver', 'admin'],
  'GET /api/calls': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/calls/{id}': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/clients': ['viewer', 'approver', 'admin'],
  'GET /api/elicitations': ['viewer', 'approver', 'admin'],
  'GET /api/events': ['viewer', 'approver', 'admin'],
  'GET /api/import': ['admin'],
  'GET /api/info': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/jobs': ['viewer', 'approver', 'admin'],
  'GET /api/journal': ['viewer', 'approver', 'admin'],
  'GET /api/lock': ['viewer', 'approver', 'admin'],
  'GET /api/policies': ['viewer', 'approver', 'admin'],
  'GET /api/prompts': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/resources': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/results/{id}': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/servers': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/servers/{name}': ['viewer', 'approver', 'admin'],
  'GET /api/sessions': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/sessions/{id}': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/sessions/{id}/events': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/sessions/{id}/messages': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/statistics': ['viewer', 'approver', 'admin'],
  'GET /api/tokens': ['admin'],
  'GET /api/tools': ['viewer', 'agent', 'approver', 'admin'],
  'GET /api/tools/{name}': ['viewer', 'agent', 'approver', 'admin'],
  'PATCH /api/sessions/{id}': ['agent', 'approver', 'admin'],
  'POST /api/approvals/{id}/approve': ['approver', 'admin'],
  'POST /api/approvals/{id}/deny': ['approver', 'admin'],
  'POST /api/approvals/{id}/reveal': ['approver', 'admin'],
  'POST /api/call-questions/{id}': ['agent', 'admin'],
  'POST /api/calls/{id}/settle': ['approver', 'admin'],
  'POST /api/calls/{id}/undo': ['approver', 'admin'],
  'POST /api/import': ['admin'],
  'POST /api/jobs': ['admin'],
  'POST /api/jobs/{id}/run': ['admin'],
  'POST /api/lock/{server}/accept': ['admin'],
  'POST /api/policies/backtest': ['viewer', 'approver', 'admin'],
  'POST /api/policies/check': ['viewer', 'approver', 'admin'],
  'POST /api/prompts/get': ['agent', 'admin'],
  'POST /api/resources/read': ['agent', 'admin'],
  'POST /api/servers': ['admin'],
  'POST /api/servers/{name}/disable': ['admin'],
  'POST /api/servers/{name}/enable': ['admin'],
  'POST /api/servers/{name}/restart': ['admin'],
  'POST /api/servers/{name}/sign-in': ['admin'],
  'POST /api/sessions': ['agent', 'admin'],
  'POST /api/sessions/{id}/answer-elicitation': ['approver', 'admin'],
  'POST /api/sessions/{id}/approve': ['approver', 'admin'],
  'POST /api/sessions/{id}/deny': ['approver', 'admin'],
  'POST /api/sessions/{id}/fork': ['agent', 'admin'],
  'POST /api/sessions/{id}/interrupt': ['agent', 'approver', 'admin'],
  'POST /api/sessions/{id}/messages': ['agent', 'admin'],
  'POST /api/sessions/{id}/replay': ['viewer', 'approver', 'admin'],
  'POST /api/sessions/{id}/submit-answers': ['approver', 'admin'],
  'POST /api/sessions/{id}/undo': ['approver', 'admin'],
  'POST /api/sign-in-links': ['admin'],
  'POST /api/sign-out': ['admin'],
  'POST /api/tokens': ['admin'],
  'POST /api/tools/{name}/call': ['agent', 'admin'],
  'PUT /api/policies': ['admin'],
};
