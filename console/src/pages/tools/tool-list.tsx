import type { ReactNode } from 'react';
import { Link } from '../../app/router.tsx';
import { Badge, EffectBadge } from '../../components/badge.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import type { Row } from './tool-rows.ts';

const rowHeight = 59;

/** The virtualized list of tools. */
export function ToolList({
  rows,
  current,
  selected,
  linkTo,
}: {
  readonly rows: readonly Row[];
  readonly current: string | undefined;
  readonly selected: number;
  readonly linkTo: (name: string) => string;
}): ReactNode {
  return (
    <VirtualList
      label="Tools"
      items={rows}
      keyOf={({ key }) => key}
      rowHeight={rowHeight}
      selected={selected}
      row={(row) => <ToolRow row={row} current={current} linkTo={linkTo} />}
    />
  );
}

function ToolRow({
  row,
  current,
  linkTo,
}: {
  readonly row: Row;
  readonly current: string | undefined;
  readonly linkTo: (name: string) => string;
}): ReactNode {
  switch (row.kind) {
    case 'server':
      return (
        <h2 className="group-row">
          {row.server} <span className="faint">{row.count}</span>
        </h2>
      );
    case 'tool': {
      const { name, id, effect, description } = row.tool;
      return (
        <Link to={linkTo(name)} className="split-row" aria-current={name === current}>
          <span className="split-row-head">
            <span className="split-row-name">{id.tool}</span>
            <EffectBadge effect={effect} />
          </span>
          <span className="split-row-about">{description}</span>
        </Link>
      );
    }
    case 'hidden': {
      const { name, server, reason } = row.hidden;
      return (
        <Link to={linkTo(name)} className="split-row withheld" aria-current={name === current}>
          <span className="split-row-head">
            <span className="split-row-name">{name.replace(`mcp__${server}__`, '')}</span>
            <Badge tone="gray">hidden</Badge>
          </span>
          <span className="split-row-about">{reason}</span>
        </Link>
      );
    }
  }
}
