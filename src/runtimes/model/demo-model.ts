import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ModelMessage, ToolModelMessage } from 'ai';
import { parseName } from '../../core/tools/tool-names.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { StepEvents } from './step-events.ts';
import { type StepRequest, type StepResult, toFailure } from './step.ts';

/**
 * Runs a step of the demo model, which needs no key, network or package: for new users and for tests. It streams its answer in
 * small pieces, `pauseMs` apart, as real models do.
 */
export async function demoStep(request: StepRequest, pauseMs = 8): Promise<StepResult> {
  const events = new StepEvents(request);
  try {
    const { text, calls = [] } = demoAnswer(readRequest(request));
    for (const piece of pieces(text)) {
      events.say(piece);
      await pause(pauseMs, undefined, { signal: request.signal });
    }
    const requested = calls.map(({ tool: toolName, input }) => ({
      type: 'tool-call' as const,
      toolCallId: `demo_${randomUUID()}`,
      toolName,
      input,
    }));
    for (const call of requested) {
      events.start(call.toolCallId, call.toolName);
      for (const piece of pieces(JSON.stringify(call.input))) events.input(call.toolCallId, piece);
      events.call(call);
    }
    events.finish(usage(request, { text, calls }), calls.length === 0 ? 'stop' : 'tool-calls');
    return events.ended({ role: 'assistant', content: [{ type: 'text', text }, ...requested] });
  } catch (error) {
    return request.signal.aborted ? events.partly('aborted') : events.failed(toFailure(request.chosen.name, error));
  }
}

/** Estimates the usage that a real model would report. */
function usage({ instructions, messages }: StepRequest, answered: DemoAnswer): Parameters<StepEvents['finish']>[0] {
  const [inputTokens, outputTokens] = [tokens([instructions, messages]), tokens(answered)];
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

/** Splits a text into words, each with the space before it. */
function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+/g) ?? [];
}

/** Returns the answer to a request, from a few fixed sentences. The same request always gets the same answer. */
function demoAnswer(request: DemoRequest): DemoAnswer {
  const text = request.userText.trim();
  if (/\btour\b/i.test(text)) return tour(request);
  if (request.results.length > 0) return { text: request.results.map(describeResult).join('\n') };
  if (/^ping\b/i.test(text)) return callTool(request, 'ping', '');
  if (/^ask me\b/i.test(text)) return question;
  if (/\b(what|which|list|show)\b.*\btools\b/i.test(text)) return listTools(request);
  const lines = text.split('\n').map((line) => /^call\s+(\S+)\s*(.*)$/i.exec(line.trim()));
  const calls = lines.filter((line) => line !== null);
  if (calls.length > 0) return combine(calls.map(([, tool = '', input = '']) => callTool(request, tool, input)));
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
        questions: [{ question: 'Which color do signals show?', options: [{ label: 'Red' }, { label: 'Green' }] }],
      },
    },
  ],
};

function describeResult({ tool, text, failed }: DemoToolResult): string {
  return `${tool} ${failed ? 'failed' : 'answered'}: ${text}`;
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
    text: 'Last, a call that cannot be undone. It asks before it runs. ',
    kind: 'the call that cannot be undone',
    tool: 'mcp__demo__send_note',
    input: { name: 'tour', to: 'a friend' },
  },
];

/** Returns the next step of the tour, which makes one call of each effect. */
function tour({ results, tools }: DemoRequest): DemoAnswer {
  const names = new Set(tools.map(({ name }) => name));
  if (!stops.every(({ tool }) => names.has(tool)))
    return {
      text: 'The tour needs the tools of the demo server, which is not available. Try "ping the server" instead.',
    };
  const stop = stops[results.length];
  if (stop !== undefined) return { text: stop.text, calls: [{ tool: stop.tool, input: stop.input }] };
  const lines = stops.map(({ kind }, index) => `- ${kind}: ${results[index]?.failed === true ? 'refused' : 'ran'}`);
  return {
    text: [
      'That was the tour.',
      '',
      ...lines,
      '',
      'The page Calls lists all three, and **Undo** reverts the write.',
    ].join('\n'),
  };
}

/** A result of a call that the demo model made. */
interface DemoToolResult {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** The parts of a request that the demo model uses. */
interface DemoRequest {
  /** The last user message. */
  readonly userText: string;
  /** The tool results since then. */
  readonly results: readonly DemoToolResult[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** Parses a request: the last user message, the results since then, and the tools. */
function readRequest({ messages, tools }: Pick<StepRequest, 'messages' | 'tools'>): DemoRequest {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return {
    userText: textOf(messages[last]),
    results: messages
      .slice(last + 1)
      .flatMap((message) => (message.role === 'tool' ? message.content.flatMap(resultOf) : [])),
    tools,
  };
}

function textOf(message: ModelMessage | undefined): string {
  if (message?.role !== 'user') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function resultOf(part: ToolModelMessage['content'][number]): DemoToolResult[] {
  if (part.type !== 'tool-result') return [];
  const { output, toolName } = part;
  switch (output.type) {
    case 'text':
      return [{ tool: toolName, text: output.value, failed: false }];
    case 'error-text':
      return [{ tool: toolName, text: output.value, failed: true }];
    case 'execution-denied':
      return [{ tool: toolName, text: output.reason ?? 'it was denied', failed: true }];
    case 'json':
    case 'error-json':
    case 'content':
      return [{ tool: toolName, text: JSON.stringify(output.value), failed: output.type === 'error-json' }];
  }
}

/** An answer of the demo model. */
interface DemoAnswer {
  readonly text: string;
  readonly calls?: readonly DemoCall[];
}

/** A call that the demo model requests. */
interface DemoCall {
  readonly tool: string;
  readonly input: JsonObject;
}
