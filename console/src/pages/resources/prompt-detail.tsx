import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { type ResponseOf, api } from '../../api/client.ts';
import { navigate } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Button } from '../../components/button.tsx';
import { ContentView } from '../../components/calls/content-view.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

type Prompt = ResponseOf<'GET /api/prompts'>['items'][number];

/** A prompt with a form for its arguments, a preview, and a button to start a session. */
export function PromptDetail({ prompt }: { readonly prompt: Prompt }): ReactNode {
  const { server, name, description, arguments: fields = [] } = prompt;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const toaster = useToaster();
  const filled = { server, name, arguments: values };
  const preview = useMutation({ mutationFn: () => api('POST /api/prompts/get', { body: filled }) });
  const start = useMutation({
    mutationFn: async () => {
      const session = await api('POST /api/sessions', { body: { title: name } });
      await api('POST /api/sessions/{id}/messages', { path: { id: session.id }, body: { prompt: filled } });
      return session.id;
    },
    onSuccess: (id) => navigate(`/sessions/${id}`),
    onError: (error) => toaster.error(error),
  });
  return (
    <article className="detail">
      <h2>{name}</h2>
      <p className="faint">{description ?? `Prompt of ${server}`}</p>
      <form
        className="resource-form"
        onSubmit={(event) => {
          event.preventDefault();
          preview.mutate();
        }}
      >
        {fields.map((field) => (
          <ArgumentInput
            key={field.name}
            name={field.name}
            about={field.description}
            isRequired={field.required === true}
            value={values[field.name] ?? ''}
            onChange={(value) => setValues({ ...values, [field.name]: value })}
          />
        ))}
        <div className="actions">
          <Button type="submit" operation="POST /api/prompts/get" isBusy={preview.isPending}>
            Preview
          </Button>
          <Button operation="POST /api/sessions" kind="primary" isBusy={start.isPending} onClick={() => start.mutate()}>
            Start session
          </Button>
        </div>
      </form>
      {preview.error === null ? undefined : <ProblemNote error={preview.error} onRetry={() => preview.mutate()} />}
      {preview.data === undefined ? undefined : (
        <section className="outcome card" aria-label="Messages">
          <ContentView content={preview.data.messages.map((message) => ({ type: 'text', text: textOf(message) }))} />
        </section>
      )}
    </article>
  );
}

function ArgumentInput({
  name,
  about,
  isRequired,
  value,
  onChange,
}: {
  readonly name: string;
  readonly about: string | undefined;
  readonly isRequired: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className="field form-field">
      <label htmlFor={id}>
        {name}
        {isRequired ? '' : ' (optional)'}
      </label>
      <input id={id} value={value} required={isRequired} onChange={(event) => onChange(event.target.value)} />
      {about === undefined ? undefined : <p className="faint field-about">{about}</p>}
    </div>
  );
}

function textOf(message: Readonly<Record<string, unknown>>): string {
  const { content } = message as { readonly content?: { readonly type?: string; readonly text?: string } };
  return `${String(message['role'])}: ${content?.text ?? `[${content?.type ?? 'nothing'}]`}`;
}
