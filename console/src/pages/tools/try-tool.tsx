import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { Tool } from '../../api/schema.ts';
import { useRefusal } from '../../app/reader.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { duration } from '../../parts/time-ago.tsx';
import { CallOutcome } from './call-outcome.tsx';
import { ObjectFields } from './field-input.tsx';
import { type Tried, written } from './use-try.ts';

/** Calls a tool by hand, with a form or with JSON, through everything that an agent's call goes through. */
export function TryTool({ tool, tried }: { readonly tool: Tool; readonly tried: Tried }): ReactNode {
  const { field, isRunning, startedAt, wrong, error, result } = tried;
  const hasForm = field.kind === 'object' && field.fields.length > 0;
  const refusal = useRefusal('POST /api/tools/{name}/call');
  const runByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (refusal === undefined) tried.run();
  };
  return (
    <div className="try">
      {/* The key is that of whatever field has the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <form
        aria-label={`Try ${tool.id.tool}`}
        onKeyDown={runByKey}
        onSubmit={(event) => {
          event.preventDefault();
          tried.run();
        }}
      >
        <Tabs
          label="How to give the arguments"
          tabs={[
            { name: 'Form', content: () => <Form tried={tried} hasForm={hasForm} /> },
            { name: 'JSON', content: () => <Raw tried={tried} /> },
          ]}
        />
        <div className="actions try-actions">
          <Button
            kind="primary"
            type="submit"
            isBusy={isRunning}
            disabled={refusal !== undefined || wrong !== undefined}
          >
            Run
          </Button>
          {isRunning ? (
            <>
              <Button icon="stop" onClick={tried.cancel}>
                Cancel
              </Button>
              <Running since={startedAt} />
            </>
          ) : refusal !== undefined ? (
            <span className="faint">{refusal}</span>
          ) : (
            <span className="faint">
              <kbd>Ctrl</kbd> <kbd>Enter</kbd>
            </span>
          )}
        </div>
      </form>
      {error === null ? undefined : <ProblemNote error={error} />}
      {result === undefined || isRunning ? undefined : <CallOutcome result={result} onAnswered={tried.goOn} />}
    </div>
  );
}

function Form({ tried, hasForm }: { readonly tried: Tried; readonly hasForm: boolean }): ReactNode {
  const { field, value, wrong, setText } = tried;
  if (wrong !== undefined) return <p className="wrong">The arguments as JSON cannot be read: {wrong}</p>;
  if (!hasForm)
    return (
      <p className="faint">
        {field.kind === 'object'
          ? 'It names no arguments.'
          : 'Its arguments are more than a form can ask for: give them as JSON.'}
      </p>
    );
  return (
    <div className="form-fields">
      <ObjectFields
        fields={field.kind === 'object' ? field.fields : []}
        value={value}
        onChange={(changed) => setText(written(changed))}
      />
    </div>
  );
}

function Raw({ tried: { text, setText, wrong } }: { readonly tried: Tried }): ReactNode {
  const told = useId();
  return (
    <div className="field">
      <textarea
        className="code"
        aria-label="Arguments as JSON"
        spellCheck={false}
        rows={Math.min(20, Math.max(5, text.split('\n').length + 1))}
        value={text}
        aria-invalid={wrong !== undefined}
        aria-describedby={told}
        onChange={(event) => setText(event.target.value)}
      />
      <p id={told} className="wrong" role="status">
        {wrong ?? ''}
      </p>
    </div>
  );
}

function Running({ since }: { readonly since: number }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="faint working">
      <span className="dot" />
      <span role="status">Running</span> {duration(Math.max(0, now - since))}
    </span>
  );
}
