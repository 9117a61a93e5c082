export type { AgentOptions } from '../sessions/agent.ts';
export type {
  AgentSummary,
  EventOptions,
  ApprovalSelector,
  SendOptions,
  SessionPage,
  SessionQuery,
  Sessions,
} from '../sessions/sessions.ts';
export type { NewSession, SentMessage, Session, SessionChange, SessionStatus } from '../sessions/sessions.ts';
export type {
  SessionEvent,
  SessionServer,
  TurnReason,
  SessionEventBody,
  ElicitationRequired,
} from '../sessions/events/session-event.ts';
export type {
  Runtime,
  SampleOptions,
  TranscriptMessage,
  Turn,
  TurnEvent,
  Question,
  TranscriptPart,
  TurnTools,
  RuntimeToolCall,
  RuntimeTool,
  TurnCallOptions,
  RuntimeToolResult,
} from '../runtimes/runtime.ts';
export type { ClaudeCodeOptions, Passthrough, PassthroughHooks } from '../runtimes/claude/shared/claude-options.ts';
export type { ModelOptions, ProviderSettings } from '../runtimes/model/model-options.ts';
export type { RunningServer, ServerLimits } from './server-options.ts';
export { type CreateServerOptions, type SignalboxServer, createServer } from './create-server.ts';
export { type CreateSessionsOptions, createSchedules, createSessions } from './create-sessions.ts';
export { claude, claudeCli, model } from './runtimes.ts';
export { type QueryOptions, type SessionClient, createSessionClient, query } from './session-client.ts';
export type { KeyCacheTimes } from './access/oauth/issuer-keys.ts';
export type { PendingElicitation } from '../sessions/turns/turn-elicitations.ts';
export type { Schedules } from '../sessions/schedules/schedules.ts';
export type { Job, NewJob } from '../sessions/schedules/job.ts';
export type { SessionSettings } from '../sessions/create-sessions.ts';
export type { TurnLimits } from '../runtimes/model/turn-budget.ts';
export type { ContentReader } from '../pipeline/box-content.ts';
