import type { Heard } from './demo-messages.ts';
import type { Answer, DemoCall } from './said.ts';

/** A stop of the tour: what is said, and the call that shows it. */
interface Stop extends DemoCall {
  readonly text: string;
  readonly kind: string;
}

// The tools of the demo workspace.
const stops: readonly Stop[] = [
  {
    text: 'First a read. Reads run at once. ',
    kind: 'the read',
    tool: 'mcp__demo__read_note',
    input: { name: 'welcome' },
  },
  {
    text: 'Next a write that can be undone. ',
    kind: 'the write that can be undone',
    tool: 'mcp__demo__write_note',
    input: { name: 'tour', text: 'The demo model was here.' },
  },
  {
    text: 'Last something that cannot be taken back. You are always asked before that. ',
    kind: 'the one that cannot be taken back',
    tool: 'mcp__demo__send_note',
    input: { name: 'tour', to: 'a friend' },
  },
];

/** The newcomer's tour: one call of each kind, one after the other, whatever becomes of each. */
export function tour({ results, tools }: Heard): Answer {
  const names = new Set(tools.map(({ name }) => name));
  if (!stops.every(({ tool }) => names.has(tool)))
    return { text: 'The tour needs the demo workspace, and its tools are not here. Try "ping the server" instead.' };
  const stop = stops[results.length];
  if (stop !== undefined) return { text: stop.text, calls: [{ tool: stop.tool, input: stop.input }] };
  const lines = stops.map(({ kind }, index) => `- ${kind}: ${results[index]?.failed === true ? 'refused' : 'ran'}`);
  return {
    text: ['That was the tour.', '', ...lines, '', 'The journal has all three, and "undo" takes the write back.'].join(
      '\n',
    ),
  };
}
