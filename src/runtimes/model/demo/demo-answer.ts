import { parseName } from '../../../core/tools/tool-names.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { DemoAnswer, DemoCall, DemoRequest, DemoToolResult } from './demo-messages.ts';

/** Returns the answer to a request, from a few fixed sentences. The same request always gets the same answer. */
export function demoAnswer(heard: DemoRequest): DemoAnswer {
  const said = heard.userText.trim();
  if (/\btour\b/i.test(said)) return tour(heard);
  if (heard.results.length > 0) return { text: heard.results.map(describeResult).join('\n') };
  if (/^ping\b/i.test(said)) return callTool(heard, 'ping', '');
  if (/^ask me\b/i.test(said)) return question;
  if (/\b(what|which|list|show)\b.*\btools\b/i.test(said)) return listTools(heard);
  const lines = said.split('\n').map((line) => /^call\s+(\S+)\s*(.*)$/i.exec(line.trim()));
  const asked = lines.filter((line) => line !== null);
  if (asked.length > 0) return combine(asked.map(([, tool = '', input = '']) => callTool(heard, tool, input)));
  return { text: help };
}

const help = [
  'I am the demo model: no key, no network, and only a few sentences. Try one of these:',
  '- "ping the server"',
  '- "what tools do you have"',
  '- "call TOOL JSON", for instance: call mcp__signalbox__get_server_info {"include_uptime": true}',
  '- several lines that begin with "call", to make calls at once',
  '- "ask me something"',
  '- "run the tour"',
].join('\n');

const question: DemoAnswer = {
  text: 'Here is a question for you. ',
  calls: [
    {
      tool: 'ask_user',
      input: {
        questions: [{ question: 'Which colour do signals show?', options: [{ label: 'Red' }, { label: 'Green' }] }],
      },
    },
  ],
};

function describeResult({ tool, text, failed }: DemoToolResult): string {
  return `${tool} ${failed ? 'did not run through' : 'answered'}: ${text}`;
}

function listTools({ tools }: DemoRequest): DemoAnswer {
  if (tools.length === 0) return { text: 'I have no tools.' };
  const list = tools.map(({ name, description }) => `- ${name}: ${description.split('\n')[0] ?? ''}`);
  return { text: [`I have ${tools.length} tools:`, ...list].join('\n') };
}

function callTool({ tools }: DemoRequest, wanted: string, given: string): DemoAnswer {
  const names = tools.map(({ name }) => name);
  const tool = names.includes(wanted) ? wanted : names.find((name) => name.endsWith(`__${wanted}`));
  if (tool === undefined) {
    const own = (name: string): string => parseName(name)?.tool ?? name;
    const near = closestMatch(wanted, [...names, ...names.map(own)]);
    const guess = names.find((name) => name === near || own(name) === near);
    return { text: `I have no tool named "${wanted}"${guess === undefined ? '.' : `; did you mean "${guess}"?`}` };
  }
  const input = parsed(given);
  if (input === undefined) return { text: `"${given}" is not a JSON object, so I did not call ${tool}.` };
  return { text: `I call ${tool}. `, calls: [{ tool, input }] };
}

function parsed(given: string): JsonObject | undefined {
  try {
    const value: unknown = given === '' ? {} : JSON.parse(given);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function combine(answers: readonly DemoAnswer[]): DemoAnswer {
  return { text: answers.map(({ text }) => text).join('\n'), calls: answers.flatMap(({ calls }) => calls ?? []) };
}

/** A step of the tour: its text and its call. */
interface TourStep extends DemoCall {
  readonly text: string;
  readonly kind: string;
}

// The tools of the demo workspace.
const stops: readonly TourStep[] = [
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

/** Returns the next step of the tour, which makes one call of each effect. */
function tour({ results, tools }: DemoRequest): DemoAnswer {
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
