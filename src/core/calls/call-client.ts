import type { JsonObject, JsonValue } from '../json/json.ts';

/** What a tool wants to know from a person: a form to fill in, or a page to visit. */
export type Elicitation =
  | { readonly mode: 'form'; readonly message: string; readonly requestedSchema: JsonObject }
  | { readonly mode: 'url'; readonly message: string; readonly url: string; readonly elicitationId?: string };

/** What the person said. `content` belongs to a form. */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** What a tool wants a model to complete, in the shape MCP gives it; `tools` and `toolChoice` where the revision has them. */
export type SamplingRequest = JsonObject & {
  readonly messages: readonly JsonValue[];
  readonly maxTokens: number;
};

/** What the model said, in the shape MCP gives it. */
export type SamplingAnswer = JsonObject & {
  readonly role: string;
  readonly model: string;
  readonly content: JsonValue;
};

/** A place the caller works in. */
export interface CallRoot {
  readonly uri: string;
  readonly name?: string;
}

/** How important a message is, least first. */
export const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** How important a message is. */
export type LogLevel = (typeof logLevels)[number];

/** What a tool says while it works. */
export interface LogMessage {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: JsonValue;
}

/** How a question is asked. */
export interface QuestionOptions {
  /** Aborted when nobody waits for its answer any more. */
  readonly signal: AbortSignal;
  /** What the server calls the question, where it has a name. */
  readonly key?: string;
  /** The server whose tool asks. */
  readonly server?: string;
}

/** What whoever makes a call can do for its tool while it runs. What is absent, the tool is told that nobody can do. */
export interface CallClient {
  /**
   * Who this is. A server that asks without saying for which call is answered only when all calls it may mean come from the
   * same one; the object itself when absent.
   */
  readonly identity?: object;
  /**
   * The conversation of the call, for clients that give every call an identity of its own. An abandoned call of the same conversation
   * does not block questions to this one.
   */
  readonly conversation?: string;
  /** Asks the person behind the call. */
  elicit?(request: Elicitation, asking: QuestionOptions): ElicitationAnswer | Promise<ElicitationAnswer>;
  /** Asks the model behind the call. */
  sample?(request: SamplingRequest, asking: QuestionOptions): SamplingAnswer | Promise<SamplingAnswer>;
  /** Where the caller works. */
  roots?(asking: QuestionOptions): readonly CallRoot[] | Promise<readonly CallRoot[]>;
  /** Takes what the tool says while it works. */
  log?(message: LogMessage): void;
}

/** The caller as a tool sees it: answers are checked, and the tool’s own time stands still while somebody is asked. */
export interface ToolClient {
  readonly identity: object;
  readonly conversation?: string;
  /** The answer fits the requested schema, or this rejects. Ends with the call unless another signal is given. */
  readonly elicit?: (request: Elicitation, asking?: QuestionOptions) => Promise<ElicitationAnswer>;
  readonly sample?: (request: SamplingRequest, asking?: QuestionOptions) => Promise<SamplingAnswer>;
  readonly roots?: (asking?: QuestionOptions) => Promise<readonly CallRoot[]>;
  readonly log?: (message: LogMessage) => void;
  /** Lets the tool’s time stand still until what it returns is called, or the time for questions is used up. */
  hold(): () => void;
}
