import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ProblemError, api } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Policies, PolicyCheck } from '../../api/schema.ts';
import { useForbiddenReason } from '../../app/current-user.tsx';
import { Link } from '../../app/router.tsx';
import { useToaster } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { type PolicyDraft, policyText } from './use-policy-draft.ts';
import { RuleEditor, moveCursorTo } from './rule-editor.tsx';
import { ActiveRules } from './active-rules.tsx';

const typingMs = 250;
const example = `- id: deletes-are-asked
  match: "*__delete_*"
  ask: true
  reason: deletions need a review
`;

/** The policy editor with its errors, beside the active rules. */
export function RulesView({
  policies,
  draft,
}: {
  readonly policies: Policies;
  readonly draft: PolicyDraft;
}): ReactNode {
  const cache = useQueryClient();
  const toaster = useToaster();
  const field = useRef<HTMLTextAreaElement>(null);
  const { file } = policies;
  const checked = useCheck(draft.text);
  const save = useMutation({
    mutationFn: () =>
      api('PUT /api/policies', {
        body: { text: draft.text, ...(file === undefined ? {} : { save: true, seen: draft.fingerprint }) },
      }),
    onSuccess: (saved) => {
      cache.setQueryData(queries.policies().queryKey, saved);
      draft.restart(saved, file === undefined ? undefined : draft.text);
      toaster.success(`Applied version ${saved.version ?? 'none'}`);
    },
    onError: () => void cache.invalidateQueries({ queryKey: queries.policies().queryKey }),
  });
  const isOutdated = draft.isOutdated || (save.error instanceof ProblemError && save.error.code === 'file-outdated');
  const refusal = useForbiddenReason('PUT /api/policies');
  const canSave = refusal === undefined && draft.isChanged && checked?.valid === true && !isOutdated;
  return (
    <div className="rules-view">
      <section className="card rules-editor" aria-label="Editor">
        <header>
          <h2>{file === undefined ? 'Rules' : <code>{file.file.split('/').at(-1)}</code>}</h2>
          {draft.isChanged ? <Badge tone="amber">unsaved</Badge> : undefined}
          <span className="faint" role="status">
            {checkStatus(checked)}
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
            No rules yet. A rule has an id, matches tools, and allows, asks or denies.{' '}
            <Button kind="quiet" onClick={() => draft.write(example)}>
              Insert example
            </Button>
          </p>
        ) : undefined}
        <Problems check={checked} onGo={(line, column) => moveCursorTo(field.current, line, column)} />
        {isOutdated ? (
          <div className="note amber" role="alert">
            <div className="note-text">
              <strong>The file was changed elsewhere</strong>
              <p>
                Nothing was saved. Load the file and discard your edits, or keep your edits and overwrite it when you
                save.
              </p>
              <div className="actions">
                <Button
                  onClick={() => {
                    draft.restart(policies);
                    save.reset();
                  }}
                >
                  Load file
                </Button>
                <Button
                  onClick={() => {
                    draft.restart(policies, draft.text);
                    save.reset();
                  }}
                >
                  Keep my edits
                </Button>
              </div>
              <details className="fold">
                <summary>Current file</summary>
                <pre className="result" role="group" aria-label="Current file" tabIndex={0}>
                  {policyText(policies)}
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
            <span className="faint">No policy file is configured: these rules are lost when Signalbox restarts.</span>
          ) : undefined}
          <Link className="button plain" to="/policies?view=backtest">
            Backtest
          </Link>
          <Button disabled={!draft.isChanged} onClick={() => draft.restart(policies)}>
            Discard
          </Button>
          <Button kind="primary" disabled={!canSave} isBusy={save.isPending} onClick={() => save.mutate()}>
            {file === undefined ? 'Apply' : 'Save and apply'}
          </Button>
        </div>
      </section>
      <ActiveRules policies={policies} />
    </div>
  );
}

/** Checks a text once typing pauses. Returns the previous errors until then. */
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

function checkStatus(check: PolicyCheck | undefined): string {
  if (check === undefined) return 'Checking…';
  if (check.valid) return `${check.rules} ${check.rules === 1 ? 'rule' : 'rules'}, no errors`;
  return `${check.problems.length} ${check.problems.length === 1 ? 'error' : 'errors'}`;
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
    <ol className="mistakes" aria-label="Errors" id="policy-errors">
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
