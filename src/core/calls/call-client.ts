import type { JsonObject, JsonValue } from '../json/json.ts';

/** A request of a tool to a person: a form to fill in, or a page to visit. */
export type Elicitation =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonObject }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly elicitationId?: string };

/** The person's answer. `content` belongs to a form. */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** A completion request of a tool to a model, in the shape of MCP; with `tools` and `toolChoice` where the revision has them. */
export type SamplingRequest = JsonObject & {
  readonly messages: readonly JsonValue[];
  readonly maxTokens: number;
};

/** The model's answer, in the shape of MCP. */
export type SamplingAnswer = JsonObject & {
  readonly role: string;
  readonly model: string;
  readonly content: JsonValue;
};

/** A directory that the caller works in (an MCP root). */
export interface CallRoot {
  readonly uri: string;
  readonly name?: string;
}

/** The log levels of MCP, least severe first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** The severity of a log message. */
export type LogLevel = (typeof logLevels)[number];

/** A log message of a running tool. */
export interface LogMessage {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: JsonValue;
}

/** Options of a question from a tool to its caller. */
export interface QuestionOptions {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** The server's name for the question, if it has one. */
  readonly key?: string;
  /** The server whose tool asks. */
  readonly server?: string;
}

/** The capabilities that a caller offers to the tool while it runs. An absent method is reported to the tool as unsupported. */
export interface CallClient {
  /**
   * The identity of the caller; by default this object. A server may ask without naming the call it asks for. It is answered only when
   * all calls that it could mean have the same identity.
   */
  readonly identity?: object;
  /**
   * The conversation of the call, for clients with a new identity for each call. An abandoned call of the same conversation does not
   * block questions to this one.
   */
  readonly conversation?: string;
  /** Asks the person behind the call. */
  elicit?(request: Elicitation, asking: QuestionOptions): ElicitationAnswer | Promise<ElicitationAnswer>;
  /** Asks the model behind the call. */
  sample?(request: SamplingRequest, asking: QuestionOptions): SamplingAnswer | Promise<SamplingAnswer>;
  /** Returns the directories that the caller works in. */
  roots?(asking: QuestionOptions): readonly CallRoot[] | Promise<readonly CallRoot[]>;
  /** Receives the log messages of the tool. */
  log?(message: LogMessage): void;
}

/** The caller as a tool sees it. Answers are validated, and the tool's timeout pauses while a question is open. */
export interface ToolClient {
  readonly identity: object;
  readonly conversation?: string;
  /** Resolves with an answer that fits the requested schema, or rejects. Ends with the call unless another signal is passed. */
  readonly elicit?: (request: Elicitation, asking?: QuestionOptions) => Promise<ElicitationAnswer>;
  readonly sample?: (request: SamplingRequest, asking?: QuestionOptions) => Promise<SamplingAnswer>;
  readonly roots?: (asking?: QuestionOptions) => Promise<readonly CallRoot[]>;
  readonly log?: (message: LogMessage) => void;
  /** Pauses the tool's timeout until the returned function is called, or the time limit for questions is reached. */
  hold(): () => void;
}
