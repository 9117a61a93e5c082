// Made by `npm run console:types` from the OpenAPI document of the server. Do not edit.

export type AcceptRequest = {
  /** The fingerprint that was looked at: nothing else is accepted then. */
  readonly seen?: string | undefined;
  /** Only this tool, by the server’s own name for it. Not for a server that is neither locked nor changed. */
  readonly tool?: string | undefined;
};

/** A token without the token itself. */
export type AccessToken = {
  readonly id: string;
  readonly role: Role;
  readonly name?: string | undefined;
  /** The view of the catalog that its holder is bound to. */
  readonly profile?: string | undefined;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  /** To the minute. */
  readonly lastUsedAt?: string | undefined;
  readonly revokedAt?: string | undefined;
};

export type Agent = {
  readonly name: string;
  /** What drives its turns: `claude`, `claude-cli` or `model`. */
  readonly runtime: string;
  readonly model?: string | undefined;
  /** It is the agent of sessions that name none. */
  readonly isDefault: boolean;
};

export type AgentPage = { readonly items: readonly Agent[] };

export type Alive = { readonly status: 'ok' };

export type AnswerElicitationRequest = {
  /** As `elicitation_required` names it. */
  readonly elicitationId: string;
  /** `accept` with `content` for a form; `decline`: an explicit no; `cancel`: dismissed without an answer. */
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The values of a form; must fit its `requestedSchema`. Only with `accept`. */
  readonly content?: { readonly [name: string]: unknown } | undefined;
};

/** A human’s single-use answer to one exact call, or the question before. */
export type Approval = {
  readonly id: string;
  readonly state: 'pending' | 'approved' | 'denied' | 'used' | 'expired';
  /** The call that asked first. */
  readonly callId: string;
  readonly tool: string;
  readonly server: string;
  readonly effect: Effect;
  readonly definitionHash: string;
  readonly principal: Principal;
  readonly session?: string | undefined;
  /** What the tool would run with, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The parts that `arguments` does not show. Unless all are `registered`, approving needs a reveal by the same human, or `acknowledgeHidden`. */
  readonly hidden: readonly HiddenPart[];
  /** As the caller gave them, where the tool would receive others. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  /** SHA-256 of the whole arguments in canonical form (RFC 8785). */
  readonly argumentsHash: string;
  readonly decision: Decision;
  /** What looks like an attack in the definition of the tool. */
  readonly flags?: readonly string[] | undefined;
  /** An approval of the same call that does not hold any more, and why. */
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
        /** In the human’s version. */
        readonly arguments?: { readonly [name: string]: unknown } | undefined;
        /** The rule that remembers it. */
        readonly rule?: string | undefined;
        /** Why it could not be remembered as the human asked; it holds for this one call. */
        readonly notRemembered?: string | undefined;
        /** How the human took note of hidden parts that are not registered secret values. */
        readonly hiddenParts?: 'revealed' | 'acknowledged' | undefined;
      }
    | undefined;
  /** The call that ran by it. */
  readonly usedBy?: string | undefined;
};

export type ApprovalPage = {
  readonly items: readonly Approval[];
  /** How many there are on all pages. */
  readonly total: number;
  /** Where the following page begins: give it as `cursor`. Absent on the last page. */
  readonly next?: string | undefined;
  /** Every principal with a pending question, on any page, whatever the query selects. */
  readonly callers: readonly WaitingCaller[];
};

/** A human is asked about a call. */
export type ApprovalRequested = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
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
  /** What the tool would receive, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The parts that `arguments` does not show. */
  readonly hidden?: readonly HiddenPart[] | undefined;
  /** As the caller gave them, where the tool would receive others. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly argumentsHash: string;
  readonly decision: Decision;
  readonly note?: string | undefined;
  readonly expiresAt: string;
  /** Of the question as it is stored. */
  readonly digest?: string | undefined;
};

/** A human has answered. */
export type ApprovalResolved = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly type: 'ApprovalResolved';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly decision: 'approved' | 'denied';
  readonly by: Principal;
  readonly reason?: string | undefined;
  /** In the human’s version, without secrets. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  readonly remembered?: { readonly rule: string; readonly scope: RememberScope } | undefined;
  /** Why it could not be remembered as the human asked. */
  readonly notRemembered?: string | undefined;
  /** How the human took note of hidden parts that are not registered secret values. */
  readonly hiddenParts?: 'revealed' | 'acknowledged' | undefined;
  /** Of the answer as it is stored. */
  readonly digest?: string | undefined;
};

/** A human has seen the hidden parts of a question. */
export type ApprovalRevealed = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly type: 'ApprovalRevealed';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly by: Principal;
};

export type ApproveCallRequest = ApproveRequest & {
  /** The model’s id of the call, as the events name it. */
  readonly toolCallId: string;
  /** The approval that was shown. Some models give several calls one id: then it must be there, and it is safer always. */
  readonly approvalId?: string | undefined;
};

export type ApproveRequest = {
  /** Runs the tool with these in the place of the arguments it asked with. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  /** Where this is not possible (an irreversible tool, a call without a session, edited `arguments`) the call is approved once, and `answer.notRemembered` has the reason. */
  readonly remember?: RememberScope | 'nothing' | undefined;
  /** Approves without seeing hidden parts that are not registered secret values. Not needed after a reveal. */
  readonly acknowledgeHidden?: boolean | undefined;
};

/** Records that decide what is allowed were stored or removed: pinned definitions, accepted locks, sign-in links, signed-in browsers. */
export type AuthorityChanged = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly type: 'AuthorityChanged';
  /** `carried`: the entries that accounted for them were pruned, or are of a version that wrote none. */
  readonly change: 'stored' | 'removed' | 'carried';
  readonly records: readonly {
    readonly kind: 'pin' | 'lock' | 'sign-in' | 'sign-in-link' | 'token';
    /** The server, the person or the token. */
    readonly name: string;
    readonly id: string;
    /** Of the record as it is stored. */
    readonly digest: string;
    readonly isRevoked?: true | undefined;
  }[];
};

/** The recorded calls that other rules would have decided otherwise. */
export type Backtest = {
  readonly version: string;
  /** How many calls were decided again. */
  readonly calls: number;
  /** How many were decided by code, which cannot be asked again. */
  readonly skipped: number;
  /** How many differ. */
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
  /** The text of a `policies.yaml`, in the place of `rules`. */
  readonly text?: string | undefined;
  /** Only calls since then are compared. */
  readonly since?: string | undefined;
  /** How many that differ are listed: the newest. */
  readonly limit?: number | undefined;
};

export type BegunSignIn = {
  /** Where to send the person. The browser comes back to a loopback address of this machine. */
  readonly url: string;
  readonly since: string;
};

export type CallDetails = EndedCallDetails | RunningCallDetails;

export type CallEntry = ToolInvoked | CallStarted;

/** A pending question lost its caller, which cancelled, hung up, ran out of time or died; or a call waits for its answer again. */
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
  /** Where the following page begins: give it as `before`, or as `after` when reading oldest first. */
  readonly next?: number | undefined;
  /** Present on the last page when older entries were pruned from the journal: they are in its archives. */
  readonly pruned?:
    | {
        /** The last entry that went. */
        readonly seq: number;
        /** When that was made. */
        readonly at: string;
      }
    | undefined;
};

export type CallRequest = {
  /** What the tool is called with; `{}` when left out. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  /** Calls with the same key run once; the others get the first one’s outcome. */
  readonly idempotencyKey?: string | undefined;
  /** The session the call belongs to. */
  readonly sessionId?: string | undefined;
  /** The definition you saw; the call is `stale` when the tool is another one now. */
  readonly definitionHash?: string | undefined;
  /** How long to wait for a human’s approval before the answer is `awaiting-approval`; with an event stream, until the question expires. */
  readonly waitSeconds?: number | undefined;
  /** How long the whole call may take. */
  readonly timeoutSeconds?: number | undefined;
  /** With an event stream: questions of the tool are answered at `/api/call-questions/{id}`. */
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
  /** Fields of the result that Signalbox does not know. */
  readonly fields?: { readonly [name: string]: unknown } | undefined;
  readonly error?: CallError | undefined;
  /** What is awaited, when an approval is. */
  readonly approvalId?: string | undefined;
  readonly durationMs: number;
  /** What the tool says the call cost. */
  readonly costUsd?: number | undefined;
  readonly decision?: Decision | undefined;
  /** Absent where nobody looks. */
  readonly changes?: readonly FileChange[] | undefined;
  /** The result is one that was given out before; the tool did not run. */
  readonly cached?: true | undefined;
};

/** A human has said how a call ended whose outcome was unknown. */
export type CallSettled = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
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
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** What the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** As the caller gave them, where defaults, configured values or transforms made others of them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool’s name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The server’s name for the tool, where it was given another. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool had an undo function of its own. */
  readonly ownUndo?: true | undefined;
  /** The machine it ran on, of a tool that can be undone: it can be taken back there. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the whole arguments that the tool ran with, in canonical form (RFC 8785). Absent for reads whose entry contains them whole. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count it: it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call went past Signalbox and was only seen. */
  readonly observed?: true | undefined;
  /** The approval it ran by. */
  readonly approvalId?: string | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces?: string | undefined;
  readonly type: 'CallStarted';
};

export type Catalog = {
  /** The tools that can be called now. */
  readonly items: readonly Tool[];
  readonly version: number;
  readonly servers: readonly Server[];
  readonly hidden: readonly HiddenTool[];
  readonly notices: readonly {
    readonly server: string;
    readonly tool: string;
    readonly message: string;
    /** It is about what looks like an attack. */
    readonly isSuspicious?: true | undefined;
  }[];
};

/** Tools or servers came, went, or changed how they are. */
export type CatalogChange = {
  readonly type: 'CatalogChanged';
  readonly version: number;
  /** How many tools can be called now. */
  readonly tools: number;
  readonly servers: readonly Server[];
};

export type ChangedServers = {
  /** The servers that were added. */
  readonly servers: readonly string[];
  /** What became of secrets, and what is still to be done. */
  readonly notes: readonly string[];
};

/** The configuration was changed while the server ran. */
export type ConfigurationChanged = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly type: 'ConfigurationChanged';
  readonly status: 'applied' | 'refused';
  /** Absent when it was changed through the API. */
  readonly file?: string | undefined;
  readonly by?: Principal | undefined;
  /** What was done, or what is wrong and where. */
  readonly details: readonly string[];
};

/** A block of a result, in the shape MCP gives it. */
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

/** Somebody read a resource or a prompt of a server. */
export type ContentRead = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly type: 'ContentRead';
  readonly sessionId?: string | undefined;
  readonly server: string;
  readonly kind: 'resource' | 'prompt';
  /** The resource’s address, or the prompt’s name. */
  readonly name: string;
  /** Without secrets. */
  readonly arguments?: { readonly [name: string]: unknown } | undefined;
  readonly principal: Principal;
  readonly outcome: 'completed' | 'failed';
  readonly durationMs: number;
  readonly error?: string | undefined;
};

export type CreatedToken = {
  /** Shown this once: only a hash of it is kept. */
  readonly token: string;
  readonly id: string;
  readonly role: Role;
  readonly name?: string | undefined;
  /** The view of the catalog that its holder is bound to. */
  readonly profile?: string | undefined;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  /** To the minute. */
  readonly lastUsedAt?: string | undefined;
  readonly revokedAt?: string | undefined;
};

/** Absent when the call ended before policy was asked. */
export type Decision = {
  readonly answer: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  readonly reason: string;
  /** Where the rule stands: `policies.yaml:12`. */
  readonly at?: string | undefined;
  /** Changes with the text of the rule. Present where a written rule asks. */
  readonly version?: string | undefined;
  /** Every rule that asks, the one that is named first. Present when there is more than one. */
  readonly asks?:
    | readonly {
        readonly rule: string;
        readonly reason: string;
        /** Where the rule stands: `policies.yaml:12`. */
        readonly at?: string | undefined;
        readonly version?: string | undefined;
      }[]
    | undefined;
  /** What the rule looked at, without secrets. */
  readonly values?: { readonly [name: string]: unknown } | undefined;
  /** The version of the policy that decided. */
  readonly policy?: string | undefined;
  /** What the rules said, where a permission mode, a remembered approval or the guard of protected files decided in their place. */
  readonly ruled?:
    | { readonly answer: 'allow' | 'ask' | 'deny'; readonly rule: string; readonly reason: string }
    | undefined;
  /** The protected or closed files that the call names, links followed. */
  readonly protectedFiles?: readonly string[] | undefined;
  /** Why each of `protectedFiles` is protected, by its path. */
  readonly protectedRoles?: { readonly [name: string]: string } | undefined;
  /** What rules in shadow mode would have said. */
  readonly shadow?:
    | readonly { readonly answer: 'allow' | 'ask' | 'deny'; readonly rule: string; readonly reason: string }[]
    | undefined;
};

export type DenyCallRequest = DenyRequest & {
  /** The model’s id of the call, as the events name it. */
  readonly toolCallId: string;
  /** The approval that was shown. Some models give several calls one id: then it must be there, and it is safer always. */
  readonly approvalId?: string | undefined;
};

export type DenyRequest = {
  /** Told to whoever made the call. */
  readonly reason?: string | undefined;
};

/** What a tool does to the world. */
export type Effect = 'read' | 'undoable' | 'compensable' | 'irreversible';

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: { readonly [name: string]: unknown } | undefined }
  | { readonly action: 'decline' | 'cancel' };

export type ElicitationPage = { readonly items: readonly ElicitationRequired[] };

export type ElicitationRequired = {
  /** Counts from 1 without gaps. */
  readonly seq: number;
  readonly sessionId: string;
  readonly at: string;
  readonly type: 'elicitation_required';
  /** The model’s id of the call. */
  readonly toolCallId: string;
  readonly elicitationId: string;
  /** The server that asks. */
  readonly server: string;
  /** A form to fill in, a page to open, or permission to send a request to a model. */
  readonly mode: 'form' | 'url' | 'sampling';
  readonly message: string;
  /** Of a form: the JSON Schema of `content`. */
  readonly requestedSchema?: { readonly [name: string]: unknown } | undefined;
  /** The page to open. Show it in full before opening it. */
  readonly url?: string | undefined;
  /** Of sampling: the model that would answer. */
  readonly model?: string | undefined;
  /** Of sampling: the parameters of `sampling/createMessage`. */
  readonly request?: { readonly [name: string]: unknown } | undefined;
  readonly expiresAt: string;
};

export type EndedCallDetails = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** What the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** As the caller gave them, where defaults, configured values or transforms made others of them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool’s name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The server’s name for the tool, where it was given another. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool had an undo function of its own. */
  readonly ownUndo?: true | undefined;
  /** The machine it ran on, of a tool that can be undone: it can be taken back there. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the whole arguments that the tool ran with, in canonical form (RFC 8785). Absent for reads whose entry contains them whole. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count it: it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call went past Signalbox and was only seen. */
  readonly observed?: true | undefined;
  /** The approval it ran by. */
  readonly approvalId?: string | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces?: string | undefined;
  readonly type: 'ToolInvoked';
  readonly outcome: Outcome;
  /** From its coming in to its end, answers of humans included. */
  readonly durationMs: number | null;
  /** The result as a person would read it, at most 1000 characters. */
  readonly output: string;
  readonly cached?: true | undefined;
  readonly error?: CallError | undefined;
  /** How often it was tried, when that was more than once. */
  readonly attempts?: number | undefined;
  /** What the tool says the call cost. */
  readonly costUsd?: number | undefined;
  /** What a human found out about a call whose outcome was unknown. */
  readonly settled?:
    | {
        readonly as: 'completed' | 'failed';
        readonly by: Principal;
        readonly at: string;
        readonly note?: string | undefined;
      }
    | undefined;
  /** What it changed in its workspace. */
  readonly changes?: readonly FileChange[] | undefined;
  /** How many there were, when not all are listed. */
  readonly changesTotal?: number | undefined;
  /** Of the outcome as it is stored for its idempotency key. */
  readonly claimDigest?: string | undefined;
  /** Of the outcome as it is stored for replay. */
  readonly recordingDigest?: string | undefined;
  /** Whether the tool was run, or may have been. False for a call that ended before. */
  readonly ran: boolean;
  /** How much of its duration it waited for the answer of a human. */
  readonly waitedMs?: number | undefined;
  /** The whole result, where the call was recorded for replay; `output` is the beginning of it. */
  readonly result?:
    | {
        readonly content: readonly ContentBlock[];
        /** Any JSON value. */
        readonly structuredContent?: unknown;
      }
    | undefined;
  /** Length of the whole result, where `/api/results/{id}` has it. */
  readonly keptCharacters?: number | undefined;
  readonly approval?: Approval | undefined;
  readonly undo: UndoStanding;
  /** Every entry about it, oldest first. */
  readonly history: readonly JournalEntry[];
};

/** One thing a call changed in its workspace. */
export type FileChange = {
  readonly workspace?: string | undefined;
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  /** A unified diff, for text that is not too long. */
  readonly diff?: string | undefined;
  readonly note?: string | undefined;
};

export type FoundServers = {
  readonly items: readonly {
    /** What it would be called here. */
    readonly name: string;
    /** As it would stand in the configuration: references in the place of secrets. */
    readonly entry: { readonly [name: string]: unknown };
    readonly from: readonly { readonly client: string; readonly file: string }[];
    readonly notes: readonly string[];
    /** The names of the secrets that would be kept encrypted. */
    readonly secrets: readonly string[];
  }[];
};

/** An answer at all means alive; `ok` means ready for calls. */
export type Health = {
  readonly status: 'ok' | 'stopping' | 'unavailable';
  readonly journal: 'ok' | 'unavailable';
  /** Whether every required server is up. */
  readonly servers: 'ok' | 'unavailable';
  /** How many servers are in their first start. Readiness waits only for those that are required. */
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

/** A tool that exists but is not offered, and why. */
export type HiddenTool = {
  readonly name: string;
  readonly server: string;
  /** The tool’s name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The server’s name for the tool, where it was given another. */
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
  /** What this process does: `web` leaves turns and jobs to others. */
  readonly role: 'all' | 'web' | 'worker';
  /** Who asks. Each operation names the roles it takes as `x-roles`. */
  readonly reader: { readonly id: string; readonly name?: string | undefined; readonly role: Role };
  readonly startedAt: string;
  readonly uptimeSeconds: number;
  /** How many tools can be called now. */
  readonly tools: number;
  readonly servers: { readonly up: number; readonly down: number; readonly disabled: number };
  /** Where the journal is kept. */
  readonly journal: string;
  readonly configuration?:
    | {
        readonly file: string;
        /** Present when the files have changed and cannot be used: what ran before runs on. */
        readonly refused?:
          | {
              readonly since: string;
              /** What is wrong and where. */
              readonly details: readonly string[];
            }
          | undefined;
      }
    | undefined;
};

export type Interruption = {
  /** False when nothing ran and nothing waited. */
  readonly interrupted: boolean;
};

/** A turn that begins again and again, each time in a session of its own. */
export type Job = {
  readonly id: string;
  /** Minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  readonly timezone: string;
  /** The message that its sessions begin with. */
  readonly prompt: string;
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly owner: Principal;
  readonly createdAt: string;
  readonly nextAt: string;
  readonly lastRunAt?: string | undefined;
  /** The session of the last run that had one. */
  readonly lastSession?: string | undefined;
  /** Why the last run came to nothing. */
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
  /** Where the following page begins: give it as `before`, or as `after` when reading oldest first. */
  readonly next?: number | undefined;
  /** Present on the last page when older entries were pruned from the journal: they are in its archives. */
  readonly pruned?:
    | {
        /** The last entry that went. */
        readonly seq: number;
        /** When that was made. */
        readonly at: string;
      }
    | undefined;
};

/** A JSON Schema as its author wrote it. */
export type JsonSchema = boolean | { readonly [name: string]: unknown };

/** The data of one message. */
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
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'user_message';
      readonly turnId: string;
      readonly content: string;
      readonly by: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'text_delta';
      readonly text: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'thinking_delta';
      readonly text: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_start';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly toolName: string;
      readonly server: string;
      readonly tool: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_delta';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      /** A piece of the input as JSON text. */
      readonly inputJson: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_end';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly input: { readonly [name: string]: unknown };
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_progress';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly progress: {
        readonly progress: number;
        readonly total?: number | undefined;
        readonly message?: string | undefined;
      };
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_result';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly outcome: Outcome;
      readonly content: readonly ContentBlock[];
      readonly durationMs: number;
      /** The call as the journal has it: `/api/calls/{id}`. */
      readonly callId?: string | undefined;
      readonly changes?: readonly FileChange[] | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_required';
      /** The model’s id of the call. */
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
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_resolved';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly decision: 'approved' | 'denied' | 'expired';
      readonly by: string;
      /** Why nobody needs an answer any more: the call was cancelled, or the turn or its process ended. */
      readonly reason?: string | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_prompt';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly questions: readonly {
        readonly question: string;
        readonly header?: string | undefined;
        readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
        readonly multiSelect?: boolean | undefined;
      }[];
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_answered';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly by: string;
    }
  | ElicitationRequired
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'elicitation_resolved';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly elicitationId: string;
      /** `accept` with `content` for a form; `decline`: an explicit no; `cancel`: dismissed without an answer. */
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly by: string;
      /** Why the question was closed without an answer; absent when a person answered. */
      readonly reason?: string | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'sampling_result';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly server: string;
      readonly model: string;
      /** The content that the server received. */
      readonly content?: unknown;
      /** Why the model gave no answer. */
      readonly error?: string | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
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
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
    }
  | {
      /** Counts from 1 without gaps. */
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
  /** What it calls itself. */
  readonly name: string;
  readonly version: string;
  /** The revision of MCP it speaks. */
  readonly protocolVersion: string;
  /** Who it acts for. */
  readonly principal: string;
  readonly profile?: string | undefined;
  /** What its calls are recorded under. */
  readonly sessionId: string;
  readonly since: string;
  readonly lastSeenAt: string;
  /** A request of it is being served, or it listens for changes. */
  readonly inUse: boolean;
  /** Its latest call; without an outcome while it runs. */
  readonly lastCall?:
    | { readonly callId: string; readonly tool: string; readonly at: string; readonly outcome?: Outcome | undefined }
    | undefined;
};

export type McpClients = {
  /** Those heard of in the last half hour, the latest first. */
  readonly items: readonly McpClient[];
  readonly connect: {
    /** The address of the MCP endpoint. */
    readonly url: string;
    /** Where the token for agents of this machine is kept. */
    readonly tokenFile?: string | undefined;
    /** Lines for a shell that connect a client. They read the token from its file. */
    readonly commands: readonly { readonly client: string; readonly command: string }[];
  };
};

export type NewJob = {
  /** Minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** That of the machine unless said. */
  readonly timezone?: string | undefined;
  /** The message that its sessions begin with. */
  readonly prompt: string;
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
};

export type NewMessage = {
  readonly content?: string | undefined;
  /** A prompt of a server, which comes before the content. */
  readonly prompt?:
    | {
        readonly server: string;
        readonly name: string;
        readonly arguments?: { readonly [name: string]: string } | undefined;
      }
    | undefined;
  /** Resources of servers that the agent is given with the message. */
  readonly resources?: readonly { readonly server: string; readonly uri: string }[] | undefined;
  /** A message that comes again with the same key within a day begins no second turn, at whichever server of the store. */
  readonly idempotencyKey?: string | undefined;
};

export type NewPolicies = {
  /** Rules, as in `policies.yaml`. */
  readonly rules?: readonly { readonly [name: string]: unknown }[] | undefined;
  /** The text of a `policies.yaml`, in the place of `rules`. */
  readonly text?: string | undefined;
  /** Writes `text` into the file of rules, so that it stays in force. Takes a configuration. */
  readonly save?: boolean | undefined;
  /** The fingerprint of the file you changed: it is written only if it is still like that. */
  readonly seen?: string | undefined;
};

export type NewServer = {
  readonly name: string;
  /** As under `mcpServers` in the configuration. */
  readonly entry: { readonly [name: string]: unknown };
};

export type NewSession = {
  /** One of `/api/agents`; the default one when left out. */
  readonly agent?: string | undefined;
  /** The working directory, absolute. */
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

/** How freely the agent may act. `default` asks by policy; `acceptEdits` asks only for what cannot be undone; `plan` only reads; `dontAsk` denies what would ask; `bypassPermissions` asks nothing. What a rule denies is denied in all of them. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

/** The policies in force. */
export type Policies = {
  /** Changes whenever a rule does; absent while there is no policy. */
  readonly version?: string | undefined;
  readonly rules: readonly {
    /** Any JSON value. */
    readonly rule?: unknown;
    /** Where it stands: `policies.yaml:12`. */
    readonly at?: string | undefined;
  }[];
  /** The names of the policies in code. */
  readonly code: readonly string[];
  /** The file of rules. Absent without a configuration, or when the rules stand in the configuration itself. */
  readonly file?:
    | {
        readonly file: string;
        /** As it is now, which is not in force when it has a mistake. */
        readonly text: string;
        /** Changes with the text: give it as `seen`. */
        readonly fingerprint: string;
      }
    | undefined;
};

/** Everything that is wrong with rules, and where. */
export type PolicyCheck = {
  readonly valid: boolean;
  /** Present when they could be used. */
  readonly version?: string | undefined;
  readonly rules: number;
  readonly problems: readonly {
    /** Counted from 1; 0 where there is no text. */
    readonly line: number;
    readonly column: number;
    /** Where in the document, as in `[0].deny`. */
    readonly path: string;
    readonly message: string;
    readonly hint?: string | undefined;
  }[];
};

export type PolicyCheckRequest = {
  /** Rules, as in `policies.yaml`. */
  readonly rules?: readonly { readonly [name: string]: unknown }[] | undefined;
  /** The text of a `policies.yaml`, in the place of `rules`. */
  readonly text?: string | undefined;
};

/** Who is asking. Humans may approve, agents may not. */
export type Principal = {
  readonly id: string;
  readonly kind: 'human' | 'agent' | 'system';
  /** What people call it. Several may have the same name; ids differ. */
  readonly name?: string | undefined;
};

export type Problem = {
  /** `urn:signalbox:problem:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** Stable: programs may switch on it. */
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
  /** What happened here, and what to do about it. */
  readonly detail: string;
  /** What exactly does not fit, and where. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[] | undefined;
  /** Identifies this occurrence in the output of the server. */
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

/** The answer of the server, in the shape of MCP. */
export type PromptMessages = { readonly messages: readonly { readonly role: string }[] };

/** What was missed has been told, and from here on everything is: what is looked up now stays true by the events. */
export type Ready = {
  /** The newest journal entry that was told. */
  readonly seq: number;
  /** The version of the catalog. */
  readonly catalog: number;
};

/** An approval that holds for more than one call. */
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
  /** The rules of the policy whose questions it answers, in the version that asked. */
  readonly answers: readonly { readonly rule: string; readonly version?: string | undefined }[];
  readonly by: Principal;
  readonly at: string;
  readonly approval: string;
};

export type RememberPreview = {
  readonly rule: RememberedRule;
  /** How many calls on record would have run without a question. */
  readonly count: number;
  /** How many of these a human refused. */
  readonly denied: number;
  readonly examples: readonly Approval[];
};

/** What an approval is remembered for: the tool in this session, exactly these arguments, the tool, or its server. What cannot be undone is remembered for exactly the same arguments only. */
export type RememberScope = 'session' | 'arguments' | 'tool' | 'server';

/** The calls of a session, then and now, in the order they ended. */
export type Replay = {
  readonly items: readonly {
    /** The recorded call. */
    readonly callId: string;
    readonly tool: string;
    readonly recorded: Outcome;
    readonly replayed: Outcome;
    /** What is not as it was: the outcome, what came back, or only what the given rules say of it. */
    readonly differs: 'no' | 'outcome' | 'content' | 'decision';
    readonly error?: CallError | undefined;
    readonly decision?: Decision | undefined;
  }[];
  /** How many came out otherwise. */
  readonly changed: number;
};

export type ReplayRequest = {
  /** The text of a `policies.yaml` to decide the calls by. */
  readonly text?: string | undefined;
};

export type Resource = {
  readonly server: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly uri: string;
  readonly mimeType?: string | undefined;
};

/** The answer of the server, in the shape of MCP. */
export type ResourceContents = { readonly contents: readonly { readonly uri?: string | undefined }[] };

export type ResourceTemplate = {
  readonly server: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly uriTemplate: string;
  readonly mimeType?: string | undefined;
};

export type ResultPage = {
  /** Who made the call. */
  readonly owner: string;
  readonly mimeType: string;
  readonly text: string;
  readonly offset: number;
  /** Length of the whole, in UTF-16 units. */
  readonly total: number;
  /** Where the next page begins; absent on the last page. */
  readonly next?: number | undefined;
};

export type RevealedArguments = {
  /** What the tool would run with. Only registered secret values are hidden. */
  readonly arguments: { readonly [name: string]: unknown };
  /** The registered secret values that `arguments` does not show. */
  readonly hidden: readonly HiddenPart[];
};

/** `viewer` reads, `agent` calls tools and runs turns and sees only its own, `approver` reads, answers and takes back, `admin` does everything. */
export type Role = 'viewer' | 'agent' | 'approver' | 'admin';

export type RulePage = { readonly items: readonly RememberedRule[] };

/** A remembered approval holds no longer. */
export type RuleRevoked = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly type: 'RuleRevoked';
  readonly rule: string;
  readonly by: Principal;
};

export type RunningCallDetails = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** What the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** As the caller gave them, where defaults, configured values or transforms made others of them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool’s name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The server’s name for the tool, where it was given another. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool had an undo function of its own. */
  readonly ownUndo?: true | undefined;
  /** The machine it ran on, of a tool that can be undone: it can be taken back there. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the whole arguments that the tool ran with, in canonical form (RFC 8785). Absent for reads whose entry contains them whole. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count it: it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call went past Signalbox and was only seen. */
  readonly observed?: true | undefined;
  /** The approval it ran by. */
  readonly approvalId?: string | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces?: string | undefined;
  readonly type: 'CallStarted';
  /** The whole result, where the call was recorded for replay; `output` is the beginning of it. */
  readonly result?:
    | {
        readonly content: readonly ContentBlock[];
        /** Any JSON value. */
        readonly structuredContent?: unknown;
      }
    | undefined;
  /** Length of the whole result, where `/api/results/{id}` has it. */
  readonly keptCharacters?: number | undefined;
  readonly approval?: Approval | undefined;
  readonly undo: UndoStanding;
  /** Every entry about it, oldest first. */
  readonly history: readonly JournalEntry[];
};

export type SentMessage = {
  readonly turnId: string;
  /** Events of the turn have a greater seq. */
  readonly afterSeq: number;
  /** Turns before it. */
  readonly position: number;
  /** Registered secrets were in it. Neither is kept nor given to the model; `[redacted:NAME]` is. */
  readonly redacted?: true | undefined;
};

export type Server = {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** Since when it has this status. */
  readonly since: string;
  /** Why it is not up. */
  readonly reason?: string | undefined;
  /** It is down until a person signs in at it. */
  readonly needsSignIn?: true | undefined;
  /** It is down and says itself that it fails: whoever runs it can help. */
  readonly isFailing?: true | undefined;
  /** It was not tried to the end yet. */
  readonly connecting?: true | undefined;
  /** Turns and readiness depend on it. */
  readonly required?: true | undefined;
  /** How many of its tools can be called now. */
  readonly tools: number;
};

/** A server came, went, or changed how it is. */
export type ServerChanged = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
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
  /** Since when it has this status. */
  readonly since: string;
  /** Why it is not up. */
  readonly reason?: string | undefined;
  /** It is down until a person signs in at it. */
  readonly needsSignIn?: true | undefined;
  /** It is down and says itself that it fails: whoever runs it can help. */
  readonly isFailing?: true | undefined;
  /** It was not tried to the end yet. */
  readonly connecting?: true | undefined;
  /** Turns and readiness depend on it. */
  readonly required?: true | undefined;
  /** How many of its tools can be called now. */
  readonly tools: number;
  readonly health?: ServerHealth | undefined;
  /** The last sign-in that was begun here. */
  readonly signIn?:
    | {
        readonly state: 'waiting' | 'signed-in' | 'failed';
        readonly since: string;
        readonly error?: string | undefined;
      }
    | undefined;
  /** It stands in the configuration file, and can be removed from it. */
  readonly configured: boolean;
  /** The last 200 lines it wrote to its error output, or logged. */
  readonly stderr: readonly string[];
};

/** How a server outside this process is doing; absent for those that are in it. */
export type ServerHealth = {
  /** `idle`: stopped because nobody called it; the next call starts it again. */
  readonly state: 'connecting' | 'up' | 'idle' | 'down' | 'stopped';
  readonly since: string;
  readonly lastError?: string | undefined;
  readonly nextRetryAt?: string | undefined;
  /** How often it was connected to again. */
  readonly restarts: number;
  readonly protocolVersion?: string | undefined;
  /** What the server says of itself. */
  readonly serverInfo?: { readonly [name: string]: unknown } | undefined;
};

export type ServerPage = { readonly items: readonly ServerState[] };

/** How a server stands to signalbox.lock or, where it is not locked, to what was first seen of it. */
export type ServerStanding = {
  readonly server: string;
  /** `missing`: it is locked, but not configured any more. */
  readonly status: 'unlocked' | 'unchanged' | 'changed' | 'down' | 'disabled' | 'missing';
  readonly isLocked: boolean;
  /** It is not locked, and was seen before: what differs from then asks until it is accepted. */
  readonly isPinned: boolean;
  /** How many tools it has now. */
  readonly tools: number;
  /** Why it is down. */
  readonly reason?: string | undefined;
  readonly diff?:
    | {
        readonly server: string;
        /** What became of what the server tells models about itself; until it is accepted it is withheld. */
        readonly instructions?:
          | {
              readonly kind: 'added' | 'removed' | 'changed';
              /** The difference, for people. */
              readonly text: string;
            }
          | undefined;
        readonly tools: readonly ToolDiff[];
      }
    | undefined;
  /** Identifies what the server says now: give it as `seen`. */
  readonly fingerprint?: string | undefined;
};

export type ServerState = {
  readonly name: string;
  readonly adapter: string;
  readonly status: 'up' | 'down' | 'disabled';
  /** Since when it has this status. */
  readonly since: string;
  /** Why it is not up. */
  readonly reason?: string | undefined;
  /** It is down until a person signs in at it. */
  readonly needsSignIn?: true | undefined;
  /** It is down and says itself that it fails: whoever runs it can help. */
  readonly isFailing?: true | undefined;
  /** It was not tried to the end yet. */
  readonly connecting?: true | undefined;
  /** Turns and readiness depend on it. */
  readonly required?: true | undefined;
  /** How many of its tools can be called now. */
  readonly tools: number;
  readonly health?: ServerHealth | undefined;
};

/** One conversation with an agent. */
export type Session = {
  readonly id: string;
  readonly agent: string;
  readonly runtime: string;
  readonly model?: string | undefined;
  readonly title: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  /** `waiting`: for a human, in a turn. `expired`: idle for long; the next message takes it up again. */
  readonly state: 'idle' | 'running' | 'waiting' | 'expired';
  readonly owner: Principal;
  readonly createdAt: string;
  readonly activeAt: string;
  readonly forkedFrom?: string | undefined;
  /** Turns that wait for the one that runs. */
  readonly queued: number;
  /** The last event: `events?after=` this tells only what comes. */
  readonly lastSeq: number;
  readonly lastTurn?: TurnReason | undefined;
};

/** A turn that runs goes on as it began. */
export type SessionChange = {
  readonly title?: string | undefined;
  readonly permissionMode?: PermissionMode | undefined;
};

/** What happens in a session. On the wire its `seq` is the `id` of the message, and its `type` the `event`. */
export type SessionEvent =
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'user_message';
      readonly turnId: string;
      readonly content: string;
      readonly by: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'text_delta';
      readonly text: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'thinking_delta';
      readonly text: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_start';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly toolName: string;
      readonly server: string;
      readonly tool: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_delta';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      /** A piece of the input as JSON text. */
      readonly inputJson: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_call_end';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly input: { readonly [name: string]: unknown };
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_progress';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly progress: {
        readonly progress: number;
        readonly total?: number | undefined;
        readonly message?: string | undefined;
      };
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'tool_result';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly outcome: Outcome;
      readonly content: readonly ContentBlock[];
      readonly durationMs: number;
      /** The call as the journal has it: `/api/calls/{id}`. */
      readonly callId?: string | undefined;
      readonly changes?: readonly FileChange[] | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_required';
      /** The model’s id of the call. */
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
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'approval_resolved';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly decision: 'approved' | 'denied' | 'expired';
      readonly by: string;
      /** Why nobody needs an answer any more: the call was cancelled, or the turn or its process ended. */
      readonly reason?: string | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_prompt';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly questions: readonly {
        readonly question: string;
        readonly header?: string | undefined;
        readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
        readonly multiSelect?: boolean | undefined;
      }[];
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'question_answered';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly by: string;
    }
  | ElicitationRequired
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'elicitation_resolved';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly elicitationId: string;
      /** `accept` with `content` for a form; `decline`: an explicit no; `cancel`: dismissed without an answer. */
      readonly action: 'accept' | 'decline' | 'cancel';
      readonly by: string;
      /** Why the question was closed without an answer; absent when a person answered. */
      readonly reason?: string | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'sampling_result';
      /** The model’s id of the call. */
      readonly toolCallId: string;
      readonly server: string;
      readonly model: string;
      /** The content that the server received. */
      readonly content?: unknown;
      /** Why the model gave no answer. */
      readonly error?: string | undefined;
    }
  | {
      /** Counts from 1 without gaps. */
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
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
    }
  | {
      /** Counts from 1 without gaps. */
      readonly seq: number;
      readonly sessionId: string;
      readonly at: string;
      readonly type: 'done';
      readonly reason: TurnReason;
    };

export type SessionPage = {
  readonly items: readonly Session[];
  /** Give it as `after` to read on; absent on the last page. */
  readonly next?: string | undefined;
};

export type SettleRequest = {
  readonly as: 'completed' | 'failed';
  /** How you know. */
  readonly note?: string | undefined;
};

export type SignInLink = { readonly url: string };

/** The calls that ended in a time: how many, how, and how fast. */
export type Statistics = {
  /** Where the first bucket begins. */
  readonly since: string;
  readonly until: string;
  readonly bucketSeconds: number;
  readonly total: {
    /** How many ended. */
    readonly calls: number;
    /** How many ended so; those that are none are left out. */
    readonly outcomes: { readonly [name: string]: number };
    /** How long those took that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  };
  /** One for each stretch of time, in order, also for those without calls. */
  readonly buckets: readonly {
    /** Where it begins. */
    readonly at: string;
    /** How many ended. */
    readonly calls: number;
    /** How many ended so; those that are none are left out. */
    readonly outcomes: { readonly [name: string]: number };
    /** How long those took that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  }[];
  /** Most called first; at most 500. */
  readonly tools: readonly {
    readonly tool: string;
    readonly server: string;
    /** How many ended. */
    readonly calls: number;
    /** How many ended so; those that are none are left out. */
    readonly outcomes: { readonly [name: string]: number };
    /** How long those took that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  }[];
  /** Entries up to then were pruned from the journal, and are not counted. */
  readonly prunedUntil?: string | undefined;
  readonly servers: readonly {
    readonly server: string;
    /** How many ended. */
    readonly calls: number;
    /** How many ended so; those that are none are left out. */
    readonly outcomes: { readonly [name: string]: number };
    /** How long those took that reached their tool; absent when none did. */
    readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly p99: number } | undefined;
  }[];
};

export type SubmitAnswersRequest = {
  /** The model’s id of the call, as the events name it. */
  readonly toolCallId: string;
  /** By question. */
  readonly answers: { readonly [name: string]: unknown };
};

export type TakeOver = { readonly names: readonly string[] };

/** An access token was made. */
export type TokenCreated = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly tokenId: string;
  readonly role: Role;
  readonly by: Principal;
  readonly type: 'TokenCreated';
  readonly name?: string | undefined;
  readonly profile?: string | undefined;
  readonly expiresAt?: string | undefined;
  /** Of the token as it is stored. */
  readonly digest?: string | undefined;
};

export type TokenPage = { readonly items: readonly AccessToken[] };

export type TokenRequest = {
  readonly role: Role;
  /** Only for the role `agent`. */
  readonly profile?: string | undefined;
  /** Tells people what it is for. */
  readonly name?: string | undefined;
  /** How long it is good, as in `30d` or `12h`; for good when absent. */
  readonly expires?: string | undefined;
};

/** An access token is good no longer. */
export type TokenRevoked = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly tokenId: string;
  readonly role: Role;
  readonly by: Principal;
  readonly type: 'TokenRevoked';
};

export type Tool = {
  readonly id: { readonly server: string; readonly tool: string };
  readonly name: string;
  /** The server’s name for it, where it was given another. */
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
  /** Why every call asks: the definition differs from the accepted one. */
  readonly unaccepted?: { readonly kind: 'changed' | 'new'; readonly reason: string } | undefined;
  /** What a call is pinned to; another hash means another tool. */
  readonly definitionHash: string;
};

/** What became of a tool since it was accepted. */
export type ToolDiff =
  | { readonly tool: string; readonly kind: 'added'; readonly suspicions: readonly string[] }
  | { readonly tool: string; readonly kind: 'removed' }
  | {
      readonly tool: string;
      readonly kind: 'changed';
      readonly differences: readonly {
        /** A sentence for people. */
        readonly text: string;
        /** The same without the server’s prose. */
        readonly short: string;
        /** The tool asks for more trust than what was accepted. */
        readonly weaker: boolean;
      }[];
    };

/** A call has ended; there is exactly one for every call. */
export type ToolInvoked = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  /** What the tool received, without secrets. */
  readonly arguments: { readonly [name: string]: unknown };
  /** As the caller gave them, where defaults, configured values or transforms made others of them. */
  readonly givenArguments?: { readonly [name: string]: unknown } | undefined;
  readonly server?: string | undefined;
  /** The tool’s name before it was shortened or characters were replaced. */
  readonly ownName?: string | undefined;
  /** The server’s name for the tool, where it was given another. */
  readonly renamedFrom?: string | undefined;
  readonly adapter?: string | undefined;
  readonly effect?: Effect | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly definitionHash?: string | undefined;
  /** The tool had an undo function of its own. */
  readonly ownUndo?: true | undefined;
  /** The machine it ran on, of a tool that can be undone: it can be taken back there. */
  readonly machine?: string | undefined;
  readonly decision?: Decision | undefined;
  /** SHA-256 of the whole arguments that the tool ran with, in canonical form (RFC 8785). Absent for reads whose entry contains them whole. */
  readonly argumentsHash?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Rules do not count it: it led to another call that they count. */
  readonly uncounted?: true | undefined;
  /** The call went past Signalbox and was only seen. */
  readonly observed?: true | undefined;
  /** The approval it ran by. */
  readonly approvalId?: string | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces?: string | undefined;
  readonly type: 'ToolInvoked';
  readonly outcome: Outcome;
  /** From its coming in to its end, answers of humans included. */
  readonly durationMs: number | null;
  /** The result as a person would read it, at most 1000 characters. */
  readonly output: string;
  readonly cached?: true | undefined;
  readonly error?: CallError | undefined;
  /** How often it was tried, when that was more than once. */
  readonly attempts?: number | undefined;
  /** What the tool says the call cost. */
  readonly costUsd?: number | undefined;
  /** What a human found out about a call whose outcome was unknown. */
  readonly settled?:
    | {
        readonly as: 'completed' | 'failed';
        readonly by: Principal;
        readonly at: string;
        readonly note?: string | undefined;
      }
    | undefined;
  /** What it changed in its workspace. */
  readonly changes?: readonly FileChange[] | undefined;
  /** How many there were, when not all are listed. */
  readonly changesTotal?: number | undefined;
  /** Of the outcome as it is stored for its idempotency key. */
  readonly claimDigest?: string | undefined;
  /** Of the outcome as it is stored for replay. */
  readonly recordingDigest?: string | undefined;
};

/** Oldest first. */
export type Transcript = {
  readonly items: readonly TranscriptMessage[];
  /** There are earlier messages: give it as `before` to read them. */
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
        /** Absent until there is one. */
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

/** What was left as it is, and why. */
export type UndoConflict = { readonly workspace: string; readonly path: string; readonly reason: string };

/** A call was taken back, or not. */
export type Undone = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
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
  /** Restore what nobody has changed since, and leave the rest. */
  readonly partial?: boolean | undefined;
  /** Run the tool’s own undo once more although it failed or was cut short before. */
  readonly again?: boolean | undefined;
  /** How long to wait for calls that run in the same workspace, in seconds (60). */
  readonly waitSeconds?: number | undefined;
};

export type UndoResult = {
  readonly callId: string;
  readonly tool: string;
  readonly outcome: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  /** What the call had changed. */
  readonly changes: readonly FileChange[];
  readonly conflicts: readonly UndoConflict[];
  /** Why it failed: the tool’s own undo, or what stood in the way. */
  readonly error?: string | undefined;
};

export type UndoResults = { readonly items: readonly UndoResult[] };

/** Whether a call can be taken back, as far as that is known without trying. */
export type UndoStanding =
  | { readonly state: 'ready'; readonly changes: readonly FileChange[] }
  | {
      readonly state: 'blocked';
      readonly reason: string;
      /** Whether an undo with `partial` would take back the rest. */
      readonly canDoTheRest: boolean;
      readonly changes: readonly FileChange[];
    }
  | { readonly state: 'undone' }
  | { readonly state: 'unavailable'; readonly reason: string };

/** A call is about to be taken back. */
export type UndoStarted = {
  /** Its place in the journal. */
  readonly seq: number;
  readonly at: string;
  /** Links it to all entries before it. */
  readonly hash: string;
  readonly callId: string;
  readonly sessionId?: string | undefined;
  readonly tool: string;
  readonly principal: Principal;
  readonly type: 'UndoStarted';
};

export type WaitingCaller = {
  readonly principal: string;
  /** How many of its questions wait for an answer. */
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
