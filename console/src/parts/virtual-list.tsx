import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

/** A list of which only what is in view is there. The list scrolls itself. */
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
  /** What a row is about as high as, in pixels. */
  readonly rowHeight: number;
  readonly row: (item: Item, index: number) => ReactNode;
  /** This row is kept in view. */
  readonly selected?: number;
  /** The end came near: there may be more to load. */
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
