export type { Agent } from '../sessions/agent.ts';
export type {
  AgentSummary,
  EventOptions,
  ApprovalSelector,
  SendOptions,
  SessionPage,
  SessionQuery,
  Sessions,
} from '../sessions/sessions.ts';
export type { NewSession, SentMessage, Session, SessionChange, SessionState } from '../sessions/session.ts';
export type { SessionEvent, SessionServer, TurnReason } from '../sessions/session-event.ts';
export type { Runtime } from '../runtimes/runtime.ts';
export type { ClaudeCodeOptions } from '../runtimes/claude/shared/claude-options.ts';
export type { ModelRuntimeOptions } from '../runtimes/model/model-runtime.ts';
export type { RunningServer, ServerLimits } from './start-server.ts';
export { type CreateServerOptions, type SignalboxServer, createServer } from './create-server.ts';
export { type AgentOptions, type CreateSessionsOptions, createSchedules, createSessions } from './create-sessions.ts';
export { claude, claudeCli, model } from './runtimes.ts';
export { type QueryOptions, type SessionClient, createSessionClient, query } from './session-client.ts';
