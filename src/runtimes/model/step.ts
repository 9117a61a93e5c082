import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { ToolDefinition, ToolId } from '../../core/tools/tool.ts';
import type { TurnEvent } from '../runtime.ts';
import type { ChosenModel } from './providers/choose-model.ts';
import type { Usage } from './turn-budget.ts';
import type { AssistantModelMessage, ModelMessage } from 'ai';

/** A tool as it is told to a model. */
export type ModelTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'providerOptions'>;

/** What the model is asked in one step. */
export interface StepRequest {
  readonly chosen: ChosenModel;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly signal: AbortSignal;
  /** The most that it may answer; as the provider has it when absent. */
  readonly answerTokens: number | undefined;
  /** Settings of a sampling request; the provider's defaults when absent. */
  readonly settings?: {
    readonly temperature?: number;
    readonly stopSequences?: string[];
    readonly toolChoice?: 'auto' | 'required' | 'none';
  };
  emit(event: TurnEvent): void;
  /** The server and the tool behind a name. */
  identify(name: string): ToolId;
}

/** A call that the model wants made. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** As the model gave it: an object, or whatever it said in the place of one. */
  readonly input: unknown;
}

/** How a step ended, and what it adds to the conversation. */
export type StepResult = {
  readonly message: AssistantModelMessage | undefined;
  readonly usage: Usage | undefined;
} & (
  | { readonly ended: 'complete'; readonly calls: readonly RequestedCall[] }
  | { readonly ended: 'aborted' | 'cut' }
  | { readonly ended: 'failed'; readonly failure: Failure }
);

/** Why the model gave no answer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** The same request would fail again: what was asked must not be asked once more with every turn to come. */
  readonly lasting: boolean;
}

/** What went wrong that no provider told of. */
export function toFailure(model: string, error: unknown): Failure {
  if (error instanceof SignalboxError) return { code: error.code, message: error.message, lasting: false };
  return { code: 'model-failed', message: `${model} failed: ${messageOf(error)}`, lasting: false };
}
