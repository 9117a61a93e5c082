import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

/** A scrolling list that renders only the rows in view. */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  rowHeight,
  row,
  selected,
  onEnd,
}: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The estimated height of a row, in pixels. */
  readonly rowHeight: number;
  readonly row: (item: Item, index: number) => ReactNode;
  /** The index of the row to scroll into view. */
  readonly selected?: number;
  /** Called near the end of the list, to load more. */
  readonly onEnd?: () => void;
}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= items.length - 10) onEnd?.();
  }, [last, items.length, onEnd]);
  useEffect(() => {
    if (selected !== undefined && selected >= 0) virtual.scrollToIndex(selected);
  }, [selected, virtual]);
  return (
    <div className="virtual-list" ref={frame} tabIndex={0} role="group" aria-label={label}>
      <ul style={{ blockSize: virtual.getTotalSize() }}>
        {rows.map(({ index, key, start }) => {
          const item = items[index];
          return item === undefined ? undefined : (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              style={{ transform: `translateY(${start}px)` }}
              aria-setsize={items.length}
              aria-posinset={index + 1}
            >
              {row(item, index)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
