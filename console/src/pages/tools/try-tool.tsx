import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { Tool } from '../../api/schema.ts';
import { useForbiddenReason } from '../../app/current-user.tsx';
import { Button } from '../../components/button.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { formatDuration } from '../../components/time.tsx';
import { CallResultCard } from './call-result-card.tsx';
import { ObjectFields } from './field-input.tsx';
import { type ToolTrial, formatArguments } from './use-tool-trial.ts';

/** Calls a tool from a form or from JSON. The call takes the same path as a call of an agent. */
export function TryTool({ tool, tried }: { readonly tool: Tool; readonly tried: ToolTrial }): ReactNode {
  const { field, isRunning, startedAt, invalidReason, error, result } = tried;
  const hasForm = field.kind === 'object' && field.fields.length > 0;
  const refusal = useForbiddenReason('POST /api/tools/{name}/call');
  const runByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (refusal === undefined) tried.run();
  };
  return (
    <div className="try">
      {/* The handler receives the keys of all fields. */}
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
          label="Arguments as"
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
            disabled={refusal !== undefined || invalidReason !== undefined}
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
      {result === undefined || isRunning ? undefined : <CallResultCard result={result} onAnswered={tried.repeat} />}
    </div>
  );
}

function Form({ tried, hasForm }: { readonly tried: ToolTrial; readonly hasForm: boolean }): ReactNode {
  const { field, value, invalidReason, setText } = tried;
  if (invalidReason !== undefined) return <p className="wrong">The JSON arguments are invalid: {invalidReason}</p>;
  if (!hasForm)
    return (
      <p className="faint">
        {field.kind === 'object' ? 'No arguments' : 'A form cannot express these arguments. Enter them as JSON.'}
      </p>
    );
  return (
    <div className="form-fields">
      <ObjectFields
        fields={field.kind === 'object' ? field.fields : []}
        value={value}
        onChange={(changed) => setText(formatArguments(changed))}
      />
    </div>
  );
}

function Raw({ tried: { text, setText, invalidReason } }: { readonly tried: ToolTrial }): ReactNode {
  const errorId = useId();
  return (
    <div className="field">
      <textarea
        className="code"
        aria-label="Arguments as JSON"
        spellCheck={false}
        rows={Math.min(20, Math.max(5, text.split('\n').length + 1))}
        value={text}
        aria-invalid={invalidReason !== undefined}
        aria-describedby={errorId}
        onChange={(event) => setText(event.target.value)}
      />
      <p id={errorId} className="wrong" role="status">
        {invalidReason ?? ''}
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
      <span role="status">Running</span> {formatDuration(Math.max(0, now - since))}
    </span>
  );
}
