import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { ToolDefinition, ToolId } from '../../core/tools/tool.ts';
import type { TurnEvent } from '../runtime.ts';
import type { ChosenModel } from './providers/choose-model.ts';
import type { Usage } from './turn-budget.ts';
import type { AssistantModelMessage, ModelMessage } from 'ai';

/** A tool that a model is offered. */
export type ModelTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'providerOptions'>;

/** A request for one step of the model. */
export interface StepRequest {
  readonly chosen: ChosenModel;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  /** The maximum tokens of the answer; the provider's default when absent. */
  readonly answerTokens: number | undefined;
  /** Settings of a sampling request; the provider's defaults when absent. */
  readonly settings?: {
    readonly temperature?: number;
    readonly stopSequences?: string[];
    readonly toolChoice?: 'auto' | 'required' | 'none';
  };
  emit(event: TurnEvent): void;
  /** Returns the server and tool of a name. */
  identify(name: string): ToolId;
}

/** A call that the model requested. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as the model wrote them; not necessarily an object. */
  readonly input: unknown;
}

/** The result of a step, with the message that it adds to the conversation. */
export type StepResult = {
  readonly message: AssistantModelMessage | undefined;
  readonly usage: Usage | undefined;
} & (
  | { readonly ended: 'complete'; readonly calls: readonly RequestedCall[] }
  | { readonly ended: 'aborted' | 'cut' }
  | { readonly ended: 'failed'; readonly failure: Failure }
);

/** The reason why a step failed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Whether the same request would fail again, so that its message must not be repeated in later turns. */
  readonly lasting: boolean;
}

/** Converts an error that did not come from a provider. */
export function toFailure(model: string, error: unknown): Failure {
  if (error instanceof SignalboxError) return { code: error.code, message: error.message, lasting: false };
  return { code: 'model-failed', message: `${model} failed: ${messageOf(error)}`, lasting: false };
}
