import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { DecisionView } from '../../parts/decision-view.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { hiddenPartsText } from './approval-notes.tsx';

/** How a question was answered, in a line; why it was asked, and with what it was answered, when that is opened. */
export function AnsweredApproval({ id, children }: { readonly id: string; readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({ ...queries.approval(id), enabled: isOpen });
  const answer = data?.answer;
  return (
    <details className="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{children}</summary>
      {data === undefined ? undefined : <DecisionView decision={data.decision} />}
      {answer?.reason === undefined ? undefined : <p>Because: {answer.reason}</p>}
      {answer?.notRemembered === undefined ? undefined : <p>Not remembered: {answer.notRemembered}</p>}
      {answer?.hiddenParts === undefined ? undefined : <p>{hiddenPartsText[answer.hiddenParts]}</p>}
      {answer?.rule === undefined ? undefined : (
        <p>
          Remembered as <code>{answer.rule}</code>
        </p>
      )}
      {answer?.arguments === undefined ? undefined : (
        <>
          <p>Ran with these arguments instead:</p>
          <div className="payload">
            <JsonView value={answer.arguments} open={3} />
          </div>
        </>
      )}
    </details>
  );
}
