export type { AccessToken, CreatedAccessToken, NewAccessToken, TokensApi } from './access/access-tokens.ts';
export type { ApprovalInbox, ApproveOptions, DenyOptions } from './pipeline/approvals/approval-inbox.ts';
export type { ApprovalPage, ApprovalPageQuery } from './pipeline/approvals/approval-view.ts';
export type { RememberPreview } from './pipeline/approvals/remembered.ts';
export type {
  BoxContent,
  ReadOptions,
  PromptsApi,
  ResourcesApi,
  ViewOptions,
  ServerInstructions,
  ServerPrompt,
  ServerResource,
  ServerResourceTemplate,
} from './pipeline/box-content.ts';
export type { SignalboxEvents } from './pipeline/box-events.ts';
export type { AskingRule, Decision } from './core/calls/decision.ts';
export type { PolicySummary } from './pipeline/policies/active-policies.ts';
export type { PolicySource, PolicyText, RuleSource } from './pipeline/policies/compile-policies.ts';
export type { UndoOptions, UndoResult, UndoStatus } from './pipeline/undo/undo-calls.ts';
export type { CallMetrics } from './pipeline/stages/observe.ts';
export type { ObservedCall } from './pipeline/recording/call-entries.ts';
export type { ProfileSettings, ProfilesByName } from './catalog/profile.ts';
export type { CatalogNotice, CatalogSnapshot, HiddenTool, ServerSummary } from './catalog/snapshot.ts';
export { type ToolTransform, transformServer } from './catalog/transforms/transform-server.ts';
export type {
  CompletionRequest,
  ContentListing,
  ContentOptions,
  PromptDescription,
  ResourceDescription,
  ResourceTemplateDescription,
  SourceContent,
} from './catalog/source/source-content.ts';
export type {
  ResultLimits,
  SourceLimits,
  ArgumentProblem,
  ForwardedCall,
  ParsedArguments,
  WithheldTool,
  Source,
  SourceHealth,
  SourceState,
  SourceTool,
} from './catalog/source/source.ts';
export type { ChainVerification } from './journal/integrity/hash-chain.ts';
export type { JournalVerification, SealStatus } from './journal/integrity/verify-journal.ts';
export type {
  ApprovalRequested,
  ApprovalResolved,
  ApprovalRevealed,
  CallSettled,
  CallStarted,
  ConfigurationChange,
  ConfigurationChanged,
  AuthorityChanged,
  AuthorityKind,
  AuthorityRecord,
  CarriedAnswer,
  CarriedApproval,
  CarriedRule,
  ContentRead,
  JournalEvent,
  RuleRevoked,
  ServerChanged,
  Settlement,
  TokenCreated,
  TokenRevoked,
  ToolInvoked,
  UndoStarted,
  Undone,
  CallEntry,
  EntryBase,
} from './journal/entries/journal-event.ts';
export type { JournalQuery, Page } from './journal/queries/journal-reader.ts';
export type { CallCounts, LatencyPercentiles, Statistics, StatisticsQuery } from './journal/queries/statistics.ts';
export type { SecretOptions } from './redaction/redactor.ts';
export type { ResultPage, Store, ChainHead, EntryQuery } from './journal/store/store.ts';
export type {
  Approval,
  ApprovalAnswer,
  ApprovalChannel,
  ApprovalRequest,
  ApprovalState,
  Approve,
  HiddenKind,
  HiddenPart,
  RememberScope,
  RememberedRule,
  RevealedArguments,
  ApprovalQuestion,
  ApprovalResolution,
} from './core/calls/approval.ts';
export type { CallOptions, CallResult, Progress, ToolReference } from './core/calls/call.ts';
export type { CallError, CallOutcome, OutcomeName, ResultExtras } from './core/calls/call-outcome.ts';
export type { Principal, Role } from './core/principal.ts';
export type { FileChange } from './core/calls/file-change.ts';
export type {
  QuestionOptions,
  CallClient,
  Elicitation,
  ElicitationAnswer,
  LogLevel,
  LogMessage,
  CallRoot,
  SamplingAnswer,
  SamplingRequest,
  ToolClient,
} from './core/calls/call-client.ts';
export type { ContentBlock, ToolResult, ResourceLink } from './core/tools/content.ts';
export type { ToolSessionState, ToolContext, ToolResources } from './core/tools/tool-context.ts';
export { SignalboxError, type CallErrorCode, type ErrorCode } from './core/errors.ts';
export type { CallId, Branded } from './core/identifiers.ts';
export type { JsonObject, JsonSchema, JsonValue } from './core/json/json.ts';
export type {
  Effect,
  ToolAnnotations,
  ToolDefinition,
  ToolId,
  ToolDescription,
  UnacceptedDefinition,
} from './core/tools/tool.ts';
export type { Backtest, ChangedDecision } from './policy/backtest.ts';
export { PolicyError, type PolicyProblem } from './policy/rules/policy-error.ts';
export type { PolicyInput } from './policy/policy.ts';
export type { SessionHistory, ToolPolicy, ToolPolicyAnswer } from './policy/code-policy.ts';
export type { PermissionMode } from './core/calls/permission-mode.ts';
export { createSignalbox } from './signalbox/create-signalbox.ts';
export type {
  ProfileSummary,
  Signalbox,
  JournalApi,
  PoliciesApi,
  ProfilesApi,
  SecretsApi,
  ServersApi,
  UndoApi,
} from './signalbox/signalbox.ts';
export type { SignalboxOptions } from './signalbox/signalbox-options.ts';
export {
  defineTool,
  type Tool,
  type ToolSchema,
  type ToolWithOutput,
  type NoInput,
  type SignalboxTool,
  type ToolReturn,
  type ToolBase,
  type ToolArguments,
} from './sources/local/define-tool.ts';
export type { AnyTool, AiSdkTool, ClaudeTool } from './sources/local/foreign-tools.ts';
export { localServer, type LocalServer, type LocalServerOptions } from './sources/local/local-server.ts';
export { discoverMcpServer, type McpServerDiscovery } from './sources/mcp/discover-mcp-server.ts';
export type { OAuthOptions, ProtectedServer, TokenStore } from './sources/mcp/http/oauth/oauth-options.ts';
export { signIn, signOut } from './sources/mcp/http/oauth/sign-in.ts';
export type { SignInResult, SignInOptions } from './sources/mcp/http/oauth/authorize-by-code.ts';
export type { SignOutResult } from './sources/mcp/http/oauth/end-sign-in.ts';
export { mcpServer, type McpServer, type McpServerHealth } from './sources/mcp/mcp-server.ts';
export type { McpServerOptions } from './sources/mcp/mcp-server-options.ts';
export type { HttpTransportOptions, McpTransport } from './sources/mcp/connection/mcp-transport.ts';
export type { CachedProtocolVersion, ProtocolVersionCache } from './sources/mcp/connection/protocol-version-cache.ts';
export type { CheckpointOptions } from './workspace/checkpoints.ts';
export { postgresStore, type PostgresStore } from './store/postgres/postgres-store.ts';
export { sqliteStore } from './store/sqlite/sqlite-store.ts';
export type { AbortSignalLike, AbortListener } from './core/async/light-abort-signal.ts';
export type { ConditionCall } from './policy/conditions/condition-input.ts';
export type { DocumentProblem } from './core/text/document-problem.ts';
export type { PastCall } from './policy/facts/facts.ts';
export type { ProgramOptions } from './process/process-group.ts';
export type { Sealer, SealerNote } from './journal/integrity/seal.ts';
export type { McpServerInfo } from './sources/mcp/connection/server-link.ts';
export type { ServerRequestOptions, ServerRequestHandler } from './sources/mcp/server-messages/server-requests.ts';
export type { SkippedPath } from './workspace/undo-engine.ts';
export type { CallSettlement } from './pipeline/recording/settle-call.ts';
export type { EntryType, StoredEntry } from './journal/entries/stored-entry.ts';
export type { ArchivedEntry } from './journal/pruning/archive-file.ts';
export type {
  FromJsonSchema,
  FromType,
  FromTypeName,
  FromObject,
  Simplify,
} from './sources/local/infer-json-schema.ts';
export type { PruneRequest, PruneResult } from './journal/pruning/prune-journal.ts';
export type { DropResult } from './journal/store/drop-request.ts';
