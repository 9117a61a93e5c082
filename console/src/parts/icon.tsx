import type { ReactNode } from 'react';

/** Line drawings on a grid of 24, drawn in the colour of the text around them. */
const drawings = {
  sessions:
    'M4 5.5A1.5 1.5 0 0 1 5.5 4h13A1.5 1.5 0 0 1 20 5.5v9a1.5 1.5 0 0 1-1.5 1.5H11l-4.5 4v-4h-1A1.5 1.5 0 0 1 4 14.5z',
  inbox: 'M4 13.5 6.5 5h11l2.5 8.500M4 13.500V18.500h16v-5M4 13.500h4.500l1.500 2.500h4l1.500-2.500H20',
  tools:
    'M14.5 6.500a4 4 0 0 1 5-2l-2.800 2.800.5 2.500 2.500.5L20 10a4 4 0 0 1-5.300 3L8 19.500a2.100 2.100 0 0 1-3-3L11.500 10a4 4 0 0 1 3-3.500z',
  resources: 'M6 3.500h8l4 4v13H6zM14 3.500v4h4M9 12h6M9 16h6',
  servers: 'M4 4.500h16v6H4zM4 13.500h16v6H4zM7.500 7.500h.01M7.500 16.500h.01M11 7.500h5M11 16.500h5',
  calls: 'M4 7h10M4 12h16M4 17h7M17.500 7h2.500M14.500 17h5.500',
  policies: 'M12 3.500 19 6v5.500c0 4-2.800 7.200-7 9-4.200-1.800-7-5-7-9V6zM9 12l2.200 2.200L15.500 10',
  lock: 'M6 10.500h12v9H6zM8.500 10.500V8a3.500 3.500 0 0 1 7 0v2.500M12 14v2',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  moon: 'M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z',
  monitor: 'M4 5h16v11H4zM9 20h6M12 16v4',
  keyboard: 'M3.500 7h17v10h-17zM7 10.500h.01M10.300 10.500h.01M13.700 10.500h.01M17 10.500h.01M8 14h8',
  leave: 'M13.500 4.500h-8v15h8M10.500 12H20M16.500 8.500 20 12l-3.500 3.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  check: 'M5 12.500 10 17.500 19 7',
  undo: 'M9 14 4.500 9.500 9 5M4.500 9.500H14a5.500 5.500 0 0 1 0 11h-3',
  fork: 'M7 4v9a4 4 0 0 0 4 4h6M14 13.500 17.500 17 14 20.500M7 9h6a4 4 0 0 0 4-4',
  pencil: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  trash: 'M5 7h14M9.500 7V4.500h5V7M7 7l1 12.500h8L17 7M10.500 10.500v5.500M13.500 10.500v5.500',
  chevron: 'M9 6l6 6-6 6',
  clock: 'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.500l3 1.500',
  question:
    'M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM9.800 9.700a2.300 2.300 0 1 1 3.300 2.100c-.8.4-1.100.9-1.100 1.700M12 16.300h.01',
  warning: 'M12 4.500 20.500 19h-17zM12 10v4M12 16.500h.01',
  bell: 'M6 16.500V11a6 6 0 0 1 12 0v5.500l1.500 1.500h-15zM10 20.500h4',
  search: 'M10.500 4.500a6 6 0 1 1 0 12 6 6 0 0 1 0-12zM15 15l4.500 4.500',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1',
  copy: 'M9 9h10.500v10.500H9zM5 15H4.500V4.500H15V5',
  minus: 'M5 12h14',
  earlier: 'M15 6l-6 6 6 6',
  later: 'M9 6l6 6-6 6',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
} as const;

export type IconName = keyof typeof drawings;

/** A drawing beside words that say the same. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  );
}
