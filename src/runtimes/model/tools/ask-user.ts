import * as z from 'zod';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import type { CallResult } from '../../../core/calls/call.ts';
import { messageOf } from '../../../core/errors.ts';
import { text } from '../../../core/tools/content.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { Turn } from '../../runtime.ts';
import type { ModelTool } from '../step.ts';

/** The tool that a model asks its user with. */
export const askUserName = 'ask_user';

const questionsSchema = z.object({
  questions: z
    .array(
      z.object({
        question: z.string().min(1),
        header: z.string().optional().describe('A word or two that name the question.'),
        options: z
          .array(z.object({ label: z.string().min(1), description: z.string().optional() }))
          .min(2)
          .describe('The answers to choose from; the user can also answer freely.'),
        multiSelect: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(4),
});

/** The definition of the tool for the model. */
export const askUserTool: ModelTool = {
  name: askUserName,
  description: 'Asks the user one or more questions and waits for the answers. Use it when only the user can decide.',
  inputSchema: z.toJSONSchema(questionsSchema, { io: 'input' }),
};

type Answered = Pick<CallResult, 'outcome' | 'content'>;

/** Asks the user. The question is decided and recorded like any other call. */
export async function askUser(
  { ask, tools }: Pick<Turn, 'ask' | 'tools'>,
  toolCallId: string,
  input: unknown,
  signal: AbortSignal,
): Promise<Answered> {
  const parsed = questionsSchema.safeParse(input);
  if (!parsed.success) return answered('failed', `the questions are invalid: ${z.prettifyError(parsed.error)}`);
  const { questions } = parsed.data as { questions: Parameters<Turn['ask']>[1] };
  const call = await tools.begin({ name: askUserName, effect: 'read' }, parsed.data as unknown as JsonObject, {
    toolCallId,
    signal,
  });
  if (!call.allowed) return answered('denied', call.reason);
  const end = async (outcome: 'completed' | 'failed' | 'cancelled', output: string): Promise<Answered> => {
    await call.end({ outcome, output });
    return answered(outcome, output);
  };
  try {
    const answers = await raceAbort(() => ask(toolCallId, questions), signal);
    if (answers !== undefined) return await end('completed', JSON.stringify(answers));
  } catch (error) {
    if (!signal.aborted) return await end('failed', `the question could not be asked: ${messageOf(error)}`);
  }
  return await end(signal.aborted ? 'cancelled' : 'failed', 'nobody answered the question');
}

function answered(outcome: Answered['outcome'], output: string): Answered {
  return { outcome, content: [text(output)] };
}
