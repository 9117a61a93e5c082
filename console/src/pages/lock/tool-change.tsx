import type { ReactNode } from 'react';
import type { ToolDiff } from '../../api/schema.ts';
import { Badge } from '../../components/badge.tsx';

const tones = { added: 'green', removed: 'gray', changed: 'amber' } as const;

/** A tool that was added, removed or changed since its definition was accepted. */
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
              {weaker ? <Badge tone="red">needs more trust</Badge> : undefined}
              <WordDiff text={text} />
            </li>
          ))}
        </ul>
      ) : undefined}
    </div>
  );
}

/** Colors a word diff like `Reads [-a file-]{+any file+}.`. The markers stay visible, because the text itself can contain some. */
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
