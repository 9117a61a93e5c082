import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError, api } from '../../../api/client.ts';
import type { SessionEvent } from '../../../api/schema.ts';
import { useForbiddenReason } from '../../../app/current-user.tsx';
import { Button } from '../../../components/button.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';

type Questions = Extract<SessionEvent, { type: 'question_prompt' }>['questions'];

/** The form for questions of the agent, which waits for the answers. */
export function QuestionForm({
  session,
  toolCallId,
  questions,
}: {
  readonly session: string;
  readonly toolCallId: string;
  readonly questions: Questions;
}): ReactNode {
  const [chosen, setChosen] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [written, setWritten] = useState<Readonly<Record<string, string>>>({});
  const answerOf = (question: string): string =>
    [...(chosen[question] ?? []), written[question]?.trim() ?? ''].filter((part) => part !== '').join(', ');
  const submit = useMutation({
    mutationFn: () =>
      api('POST /api/sessions/{id}/submit-answers', {
        path: { id: session },
        body: {
          toolCallId,
          answers: Object.fromEntries(questions.map(({ question }) => [question, answerOf(question)])),
        },
      }),
  });
  const refusal = useForbiddenReason('POST /api/sessions/{id}/submit-answers');
  const isAnswered = submit.error instanceof ProblemError && submit.error.code === 'question-answered';
  return (
    <form
      className="question"
      onSubmit={(event) => {
        event.preventDefault();
        submit.mutate();
      }}
    >
      {questions.map(({ question, header, options, multiSelect = false }) => (
        <fieldset key={question} className="choices">
          <legend>
            {header === undefined ? undefined : <span className="faint">{header} · </span>}
            {question}
          </legend>
          {options.map(({ label, description }) => {
            const isChosen = chosen[question]?.includes(label) ?? false;
            const others = multiSelect ? (chosen[question] ?? []).filter((each) => each !== label) : [];
            return (
              <label key={label}>
                <input
                  type={multiSelect ? 'checkbox' : 'radio'}
                  name={`${toolCallId} ${question}`}
                  checked={isChosen}
                  onChange={(event) =>
                    setChosen({ ...chosen, [question]: event.target.checked ? [...others, label] : others })
                  }
                />
                <span>
                  {label}
                  {description === undefined ? undefined : <span className="faint"> {description}</span>}
                </span>
              </label>
            );
          })}
          <label className="field">
            <span className="faint">Other answer</span>
            <input
              value={written[question] ?? ''}
              onChange={(event) => setWritten({ ...written, [question]: event.target.value })}
            />
          </label>
        </fieldset>
      ))}
      {submit.error === null || isAnswered ? undefined : <ProblemNote error={submit.error} />}
      {isAnswered ? <p className="faint">Already answered by someone else.</p> : undefined}
      <div className="actions">
        {refusal === undefined ? undefined : <span className="faint">{refusal}</span>}
        <Button
          kind="primary"
          type="submit"
          isBusy={submit.isPending}
          disabled={refusal !== undefined || isAnswered || questions.some(({ question }) => answerOf(question) === '')}
        >
          Answer
        </Button>
      </div>
    </form>
  );
}
