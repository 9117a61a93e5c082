import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { ProblemError, api } from '../../../api/client.ts';
import type { SessionEvent } from '../../../api/schema.ts';
import { useForbiddenReason } from '../../../app/current-user.tsx';
import { Button } from '../../../components/button.tsx';
import { JsonView } from '../../../components/text/json-view.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { escapeInvisible } from '../../../components/text/escape-invisible.ts';
import { type ElicitationField, elicitationFields, firstContent, typedValue } from './elicitation-field.ts';

type Asked = Extract<SessionEvent, { type: 'elicitation_required' }>;
type Content = Readonly<Record<string, unknown>>;
type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, unknown> };

/** A server asks the user: a form, a page to open, or permission to ask a model. */
export function ElicitationCard({ session, asked }: { readonly session: string; readonly asked: Asked }): ReactNode {
  const { elicitationId, server, mode, message, requestedSchema, url } = asked;
  const fields = mode === 'form' ? elicitationFields(requestedSchema ?? {}) : [];
  const [content, setContent] = useState<Content>(() => firstContent(fields));
  const send = useMutation({
    mutationFn: (answer: Answer) =>
      api('POST /api/sessions/{id}/answer-elicitation', {
        path: { id: session },
        body: { elicitationId, ...answer },
      }),
  });
  const refusal = useForbiddenReason('POST /api/sessions/{id}/answer-elicitation');
  const isClosed = send.error instanceof ProblemError && send.error.code === 'elicitation-closed';
  const isDisabled = refusal !== undefined || isClosed || send.isPending;
  const missing = fields.filter(({ name, isRequired }) => isRequired && content[name] === undefined);
  return (
    <form
      className="elicitation"
      aria-label={`Question from the server ${server}`}
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate({ action: 'accept', ...(mode === 'form' ? { content: { ...content } } : {}) });
      }}
    >
      <p className="faint">
        The server <strong>{server}</strong> asks
      </p>
      <p className="elicitation-message">{escapeInvisible(message)}</p>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={content[field.name]}
          onChange={(value) =>
            setContent((now) => {
              const { [field.name]: _, ...others } = now;
              return value === undefined ? others : { ...others, [field.name]: value };
            })
          }
        />
      ))}
      {mode === 'url' && url !== undefined ? <PageAddress url={url} /> : undefined}
      {mode === 'sampling' ? <SamplingRequest asked={asked} /> : undefined}
      {send.error === null || isClosed ? undefined : <ProblemNote error={send.error} />}
      {isClosed ? <p className="faint">This question is no longer pending.</p> : undefined}
      <div className="actions">
        {refusal === undefined ? undefined : <span className="faint">{refusal}</span>}
        <Button kind="quiet" disabled={isDisabled} onClick={() => send.mutate({ action: 'cancel' })}>
          Dismiss
        </Button>
        <Button disabled={isDisabled} onClick={() => send.mutate({ action: 'decline' })}>
          Decline
        </Button>
        {mode === 'url' ? (
          <PageLink url={url ?? ''} isDisabled={isDisabled} onOpen={() => send.mutate({ action: 'accept' })} />
        ) : (
          <Button
            kind="primary"
            type="submit"
            isBusy={send.isPending}
            disabled={isDisabled || missing.length > 0}
            title={missing.length === 0 ? undefined : `Fill in ${missing.map(({ label }) => label).join(', ')}`}
          >
            {mode === 'sampling' ? 'Allow once' : 'Submit'}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Shows the whole address and, separately, its host: an address can be written so that it looks like another. */
function PageAddress({ url }: { readonly url: string }): ReactNode {
  return (
    <div className="page-address">
      <p>
        Opens a page on <strong>{hostOf(url) ?? 'an invalid address'}</strong>
      </p>
      <code>{escapeInvisible(url)}</code>
    </div>
  );
}

/** Opens the page in a new tab; nothing is fetched before the click. */
function PageLink({
  url,
  isDisabled,
  onOpen,
}: {
  readonly url: string;
  readonly isDisabled: boolean;
  onOpen(): void;
}): ReactNode {
  const host = hostOf(url);
  if (isDisabled || host === undefined)
    return (
      <Button kind="primary" disabled>
        Open page
      </Button>
    );
  return (
    <a className="button primary" href={url} target="_blank" rel="noopener noreferrer" onClick={onOpen}>
      Open {host}
    </a>
  );
}

function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? host : undefined;
}

/** Shows the request that would be sent to the model. */
function SamplingRequest({ asked: { model, request } }: { readonly asked: Asked }): ReactNode {
  const { systemPrompt, messages, maxTokens, ...rest } = request ?? {};
  return (
    <div className="sampling">
      <p>
        Model <strong>{model}</strong>, at most {String(maxTokens)} tokens
      </p>
      {typeof systemPrompt === 'string' ? <pre>{escapeInvisible(systemPrompt)}</pre> : undefined}
      <JsonView value={messages} open={4} />
      {Object.keys(rest).length === 0 ? undefined : (
        <details className="fold">
          <summary>Full request</summary>
          <JsonView value={rest} />
        </details>
      )}
    </div>
  );
}

interface Input {
  readonly field: ElicitationField;
  readonly value: unknown;
  /** `undefined` leaves the field out. */
  readonly onChange: (value: unknown) => void;
}

function FieldInput(input: Input): ReactNode {
  const { field, value, onChange } = input;
  switch (field.kind) {
    case 'choices':
      return <ManyChoices {...input} />;
    case 'boolean':
      return (
        <label className="check-field">
          <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
          <span>
            {escapeInvisible(field.label)} <About field={field} />
          </span>
        </label>
      );
    case 'choice':
    case 'text':
    case 'number':
    case 'json':
      return <OneValue {...input} />;
  }
}

function OneValue({ field, value, onChange }: Input): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState(
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
  );
  const { kind, format, isRequired, options } = field;
  const change = (now: string): void => {
    setTyped(now);
    onChange(typedValue(field, now));
  };
  const inputProps = { id, value: typed, 'aria-required': isRequired };
  return (
    <div className="field">
      <label htmlFor={id}>
        {escapeInvisible(field.label)} <About field={field} />
      </label>
      {kind === 'choice' ? (
        <select {...inputProps} onChange={(event) => change(event.target.value)}>
          <option value="">Not set</option>
          {options.map(({ value: each, label }) => (
            <option key={each} value={each}>
              {escapeInvisible(label)}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...inputProps} className="code" rows={2} onChange={(event) => change(event.target.value)} />
      ) : (
        <input
          {...inputProps}
          type={format === 'date' ? 'date' : 'text'}
          inputMode={kind === 'number' ? 'decimal' : format === 'email' ? 'email' : format === 'uri' ? 'url' : 'text'}
          placeholder={format === 'date-time' ? '2026-11-15T08:30:00Z' : undefined}
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
      )}
    </div>
  );
}

function ManyChoices({ field, value, onChange }: Input): ReactNode {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset className="choices">
      <legend>
        {escapeInvisible(field.label)} <About field={field} />
      </legend>
      {field.options.map(({ value: each, label }) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={chosen.includes(each)}
            onChange={(event) => {
              const wanted = event.target.checked ? [...chosen, each] : chosen.filter((other) => other !== each);
              // In the order of the server's list, not of the clicks.
              const now = field.options.map((option) => option.value).filter((option) => wanted.includes(option));
              onChange(now.length === 0 && !field.isRequired ? undefined : now);
            }}
          />
          <span>{escapeInvisible(label)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function About({ field: { description, isRequired, format } }: { readonly field: ElicitationField }): ReactNode {
  const words = [isRequired ? 'required' : undefined, format, description].filter((each) => each !== undefined);
  return words.length === 0 ? undefined : <span className="faint">{escapeInvisible(words.join(' · '))}</span>;
}
