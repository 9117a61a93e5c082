import type { ReactNode } from 'react';
import type { ToolDiff } from '../../api/schema.ts';
import { Badge } from '../../parts/badge.tsx';

const tones = { added: 'green', removed: 'grey', changed: 'amber' } as const;

/** What became of one tool since it was accepted. */
export function ToolChange({ change }: { readonly change: ToolDiff }): ReactNode {
  return (
    <div className="change">
      <h3 className="detail-head">
        <code>{change.tool}</code> <Badge tone={tones[change.kind]}>{change.kind}</Badge>
      </h3>
      {change.kind === 'added' && change.suspicions.length > 0 ? (
        <ul className="differences">
          {change.suspicions.map((suspicion) => (
            <li key={suspicion}>
              <Badge tone="red">suspicious</Badge> {suspicion}
            </li>
          ))}
        </ul>
      ) : undefined}
      {change.kind === 'changed' ? (
        <ul className="differences">
          {change.differences.map(({ text, weaker }, index) => (
            <li key={index}>
              {weaker ? <Badge tone="red">asks for more trust</Badge> : undefined}
              <WordDiff text={text} />
            </li>
          ))}
        </ul>
      ) : undefined}
    </div>
  );
}

/** `Reads [-a file-]{+any file+}.`, in colours. The signs stay: the text itself may hold some. */
export function WordDiff({ text }: { readonly text: string }): ReactNode {
  return (
    <p className="word-diff">
      {text.split(/(\[-[\s\S]*?-\]|\{\+[\s\S]*?\+\})/).map((piece, index) => {
        if (index % 2 === 0) return piece;
        return piece.startsWith('[') ? <del key={index}>{piece}</del> : <ins key={index}>{piece}</ins>;
      })}
    </p>
  );
}
