import { parseName } from '../../core/tools/tool-names.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { ToolDefinition, ToolId } from '../../core/tools/tool.ts';
import type { Turn, TurnEvent } from '../runtime.ts';
import { askUserName, askUserTool } from './tools/ask-user.ts';
import { contentTools, isContentTool } from './tools/content-tools.ts';
import { demoStep } from './demo-model.ts';
import { type StepResult, type StepRequest, toFailure } from './step.ts';
import { TurnBudget, type Usage } from './turn-budget.ts';
import { Conversation } from './conversation.ts';
import type { ModelOptions } from './model-options.ts';
import { type ChosenModel, chooseModel } from './providers/choose-model.ts';
import { runToolCalls } from './tools/run-tool-calls.ts';

type Emit = (event: TurnEvent) => void;
type Reason = Extract<TurnEvent, { type: 'done' }>['reason'];

/** Options of `modelRuntime`. */
export interface ModelRuntimeOptions extends ModelOptions {
  /** A language model of your own for a name; `undefined` leaves the name to the providers. */
  readonly chooseModel?: (name: string) => ChosenModel | undefined;
}

/** Runs a turn: requests steps of the model and runs the calls of each, until there are none or a limit is reached. */
export async function runModelTurn(
  turn: Turn,
  settings: ModelRuntimeOptions | (() => Promise<ModelRuntimeOptions>),
  signal: AbortSignal,
  emit: Emit,
): Promise<void> {
  let name = turn.model ?? 'demo';
  try {
    const options = typeof settings === 'function' ? await settings() : settings;
    name = turn.model ?? options.model ?? name;
    const chosen = options.chooseModel?.(name) ?? (await chooseModel(name, options.providers ?? {}));
    const conversation = new Conversation(turn, options);
    const reason = await runSteps(turn, chosen, conversation, new TurnBudget(options.limits ?? {}, signal), emit);
    emit({ type: 'memory', memory: conversation.memory() });
    emit({ type: 'done', reason });
  } catch (error) {
    const { code, message } = toFailure(name, error);
    emit({ type: 'error', code, message });
    emit({ type: 'done', reason: 'error' });
  }
}

async function runSteps(
  turn: Turn,
  chosen: ChosenModel,
  conversation: Conversation,
  budget: TurnBudget,
  emit: Emit,
): Promise<Reason> {
  const { signal } = budget;
  const takeStep = await loadStepFunction(chosen);
  for (;;) {
    if (budget.isInterrupted) return 'interrupted';
    const reached = budget.reachedLimit();
    if (reached !== undefined) return limited(emit, reached);
    budget.countStep();
    const definitions = turn.tools.list();
    const step = await takeStep({
      chosen,
      instructions: conversation.instructions,
      messages: conversation.messages,
      tools: [...definitions, askUserTool, ...contentTools(turn.serverContent)],
      signal,
      answerTokens: budget.limits.answerTokens,
      emit,
      identify: identifier(definitions),
    });
    if (step.message !== undefined) conversation.messages.push(step.message);
    if (step.usage !== undefined) {
      budget.addUsage(step.usage);
      emit(statusOf(chosen.name, step.usage, budget.costUsd));
    }
    switch (step.ended) {
      case 'failed':
        if (step.failure.lasting) conversation.forgetQuestion();
        emit({ type: 'error', code: step.failure.code, message: step.failure.message });
        return 'error';
      case 'cut':
        return limited(emit, 'the model reached the limit of tokens in one answer');
      case 'aborted':
        break;
      case 'complete':
        if (step.calls.length === 0) return 'end';
        conversation.messages.push(
          await runToolCalls(step.calls, { turn, signal, images: chosen.acceptsImages, emit }),
        );
    }
  }
}

/** Returns the step function of a model. Loads the AI SDK when it is first needed. */
export async function loadStepFunction({ model }: ChosenModel): Promise<(request: StepRequest) => Promise<StepResult>> {
  return model === 'demo' ? demoStep : (await import('./providers/provider-step.ts')).requestStep;
}

function limited(emit: Emit, reached: string): 'limit' {
  emit({ type: 'error', code: 'turn-limit', message: `the turn was ended: ${reached}` });
  return 'limit';
}

function statusOf(model: string, { inputTokens, outputTokens }: Usage, costUsd: number | undefined): TurnEvent {
  const contextTokens = (inputTokens ?? 0) + (outputTokens ?? 0) || undefined;
  return { type: 'status', model, ...omitUndefined({ costUsd, contextTokens }) };
}

function identifier(definitions: readonly ToolDefinition[]): (name: string) => ToolId {
  return (name) => {
    if (name === askUserName || isContentTool(name)) return { server: 'model', tool: name };
    return definitions.find((one) => one.name === name)?.id ?? parseName(name) ?? { server: '', tool: name };
  };
}
