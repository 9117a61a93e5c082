import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { DecisionView } from '../calls/decision-view.tsx';
import { JsonView } from '../text/json-view.tsx';
import { hiddenPartsText } from './approval-notes.tsx';

/** A resolved approval in one line. Expands to the decision and the details of the answer. */
export function AnsweredApproval({ id, children }: { readonly id: string; readonly children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { data } = useQuery({ ...queries.approval(id), enabled: isOpen });
  const answer = data?.answer;
  return (
    <details className="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{children}</summary>
      {data === undefined ? undefined : <DecisionView decision={data.decision} />}
      {answer?.reason === undefined ? undefined : <p>Reason: {answer.reason}</p>}
      {answer?.notRemembered === undefined ? undefined : <p>Not remembered: {answer.notRemembered}</p>}
      {answer?.hiddenParts === undefined ? undefined : <p>{hiddenPartsText[answer.hiddenParts]}</p>}
      {answer?.rule === undefined ? undefined : (
        <p>
          Remembered as <code>{answer.rule}</code>
        </p>
      )}
      {answer?.arguments === undefined ? undefined : (
        <>
          <p>Ran with edited arguments:</p>
          <div className="payload">
            <JsonView value={answer.arguments} open={3} />
          </div>
        </>
      )}
    </details>
  );
}
