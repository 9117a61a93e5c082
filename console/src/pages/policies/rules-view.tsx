import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Policies, PolicyCheck } from '../../api/schema.ts';
import { useRefusal } from '../../app/reader.tsx';
import { Link } from '../../app/router.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { type Draft, textOf } from './draft.ts';
import { RuleEditor, goTo } from './rule-editor.tsx';
import { RulesInForce } from './rules-in-force.tsx';

const typingMs = 250;
const example = `- id: deletes-are-asked
  match: "*__delete_*"
  ask: true
  reason: what is deleted is looked at first
`;

/** The editor of the rules, what is wrong with them, and those in force. */
export function RulesView({ policies, draft }: { readonly policies: Policies; readonly draft: Draft }): ReactNode {
  const cache = useQueryClient();
  const tell = useTell();
  const field = useRef<HTMLTextAreaElement>(null);
  const { file } = policies;
  const checked = useCheck(draft.text);
  const save = useMutation({
    mutationFn: () =>
      api('PUT /api/policies', {
        body: { text: draft.text, ...(file === undefined ? {} : { save: true, seen: draft.seen }) },
      }),
    onSuccess: (saved) => {
      cache.setQueryData(queries.policies().queryKey, saved);
      draft.restart(saved, file === undefined ? undefined : draft.text);
      tell.done(`In force: version ${saved.version ?? 'none'}.`);
    },
    onError: () => void cache.invalidateQueries({ queryKey: queries.policies().queryKey }),
  });
  const isOutdated = draft.isOutdated || (save.error instanceof ProblemError && save.error.code === 'file-outdated');
  const refusal = useRefusal('PUT /api/policies');
  const canSave = refusal === undefined && draft.isChanged && checked?.valid === true && !isOutdated;
  return (
    <div className="rules-view">
      <section className="card rules-editor" aria-label="Editor">
        <header>
          <h2>{file === undefined ? 'Rules' : <code>{file.file.split('/').at(-1)}</code>}</h2>
          {draft.isChanged ? <Badge tone="amber">not saved</Badge> : undefined}
          <span className="faint" role="status">
            {checkWords(checked)}
          </span>
        </header>
        <RuleEditor
          ref={field}
          text={draft.text}
          problems={checked?.problems ?? []}
          onChange={draft.write}
          onSave={() => {
            if (canSave) save.mutate();
          }}
        />
        {draft.text.trim() === '' ? (
          <p className="faint">
            Nothing is written yet. A rule has a name, says which tools it is for, and allows, asks or denies.{' '}
            <Button kind="quiet" onClick={() => draft.write(example)}>
              Begin with an example
            </Button>
          </p>
        ) : undefined}
        <Problems check={checked} onGo={(line, column) => goTo(field.current, line, column)} />
        {isOutdated ? (
          <div className="note amber" role="alert">
            <div className="note-text">
              <strong>The file was changed by somebody else meanwhile</strong>
              <p>Nothing was written. Take theirs and lose yours, or go on with yours on top of theirs.</p>
              <div className="actions">
                <Button
                  onClick={() => {
                    draft.restart(policies);
                    save.reset();
                  }}
                >
                  Take theirs
                </Button>
                <Button
                  onClick={() => {
                    draft.restart(policies, draft.text);
                    save.reset();
                  }}
                >
                  Keep mine
                </Button>
              </div>
              <details className="fold">
                <summary>Theirs</summary>
                <pre className="result" role="group" aria-label="The file as it is now" tabIndex={0}>
                  {textOf(policies)}
                </pre>
              </details>
            </div>
          </div>
        ) : undefined}
        {save.error === null || isOutdated ? undefined : <ProblemNote error={save.error} />}
        <div className="actions">
          {refusal !== undefined ? (
            <span className="faint">{refusal}</span>
          ) : file === undefined ? (
            <span className="faint">There is no file of rules: these hold until Signalbox is started again.</span>
          ) : undefined}
          <Link className="button plain" to="/policies?view=backtest">
            Backtest
          </Link>
          <Button disabled={!draft.isChanged} onClick={() => draft.restart(policies)}>
            Discard
          </Button>
          <Button kind="primary" disabled={!canSave} isBusy={save.isPending} onClick={() => save.mutate()}>
            {file === undefined ? 'Put into force' : 'Save and put into force'}
          </Button>
        </div>
      </section>
      <RulesInForce policies={policies} />
    </div>
  );
}

/** What is wrong with a text, once the typing pauses; what was found of the one before until then. */
function useCheck(text: string): PolicyCheck | undefined {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['policy-check', settled],
    queryFn: ({ signal }) => api('POST /api/policies/check', { body: { text: settled }, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const isCurrent = settled === text && !isPlaceholderData;
  return isCurrent || data?.valid !== true ? data : undefined;
}

function checkWords(check: PolicyCheck | undefined): string {
  if (check === undefined) return 'Checking…';
  if (check.valid) return `${check.rules} ${check.rules === 1 ? 'rule' : 'rules'}, no mistakes`;
  return `${check.problems.length} ${check.problems.length === 1 ? 'mistake' : 'mistakes'}`;
}

function Problems({
  check,
  onGo,
}: {
  readonly check: PolicyCheck | undefined;
  readonly onGo: (line: number, column: number) => void;
}): ReactNode {
  const problems = check?.problems ?? [];
  if (problems.length === 0) return undefined;
  return (
    <ol className="mistakes" aria-label="Mistakes" id="policy-mistakes">
      {problems.map(({ line, column, path, message, hint }) => (
        <li key={`${line}:${column} ${path} ${message}`}>
          <button type="button" onClick={() => onGo(line, column)}>
            <code>
              {line}:{column}
            </code>
            <span>
              {path === '' ? undefined : <code>{path}</code>} {message}
              {hint === undefined ? '' : `; ${hint}`}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
