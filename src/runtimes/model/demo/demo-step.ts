import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type StepResult, type StepRequest, toFailure } from '../step.ts';
import { StepEvents } from '../step-events.ts';
import { demoAnswer } from './demo-answer.ts';
import { type DemoAnswer, readRequest } from './demo-messages.ts';

/**
 * Runs a step of the demo model, which needs no key, network or package: for new users and for tests. It streams its answer in
 * small pieces, `pauseMs` apart, as real models do.
 */
export async function demoStep(request: StepRequest, pauseMs = 8): Promise<StepResult> {
  const told = new StepEvents(request);
  try {
    const { text, calls = [] } = demoAnswer(readRequest(request));
    for (const piece of pieces(text)) {
      told.say(piece);
      await pause(pauseMs, undefined, { signal: request.signal });
    }
    const requested = calls.map(({ tool: toolName, input }) => ({
      type: 'tool-call' as const,
      toolCallId: `demo_${randomUUID()}`,
      toolName,
      input,
    }));
    for (const call of requested) {
      told.start(call.toolCallId, call.toolName);
      for (const piece of pieces(JSON.stringify(call.input))) told.input(call.toolCallId, piece);
      told.call(call);
    }
    told.finish(usage(request, { text, calls }), calls.length === 0 ? 'stop' : 'tool-calls');
    return told.ended({ role: 'assistant', content: [{ type: 'text', text }, ...requested] });
  } catch (error) {
    return request.signal.aborted ? told.partly('aborted') : told.failed(toFailure(request.chosen.name, error));
  }
}

/** Estimates the usage that a real model would report. */
function usage({ instructions, messages }: StepRequest, answered: DemoAnswer): Parameters<StepEvents['finish']>[0] {
  const [inputTokens, outputTokens] = [tokens([instructions, messages]), tokens(answered)];
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** Splits a text into words, each with the space before it. */
function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+/g) ?? [];
}
