import type { SessionEvent } from '../../../api/schema.ts';

type Of<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;

/** An approval request for a call, and its resolution. */
export interface AskedApproval {
  readonly asked: Of<'approval_required'>;
  readonly resolved?: Pick<Of<'approval_resolved'>, 'decision' | 'by' | 'reason'>;
}

/** An elicitation of a server, and its resolution. */
export interface AskedElicitation {
  readonly asked: Of<'elicitation_required'>;
  readonly resolved?: Of<'elicitation_resolved'>;
}

/** A tool call in the transcript. */
export interface ShownCall {
  readonly kind: 'call';
  readonly key: string;
  readonly start: Of<'tool_call_start'>;
  /** The part of the input that has been streamed. */
  readonly inputJson: string;
  readonly input?: Of<'tool_call_end'>['input'];
  readonly progress?: Of<'tool_progress'>['progress'];
  readonly approvals: readonly AskedApproval[];
  readonly prompt?: Of<'question_prompt'>;
  readonly answeredBy?: string;
  readonly elicitations: readonly AskedElicitation[];
  /** The answers of models to sampling requests of the server. */
  readonly samples: readonly Of<'sampling_result'>[];
  readonly result?: Of<'tool_result'>;
}

export type ShownPart =
  | { readonly kind: 'text' | 'thinking'; readonly key: string; readonly text: string }
  | { readonly kind: 'error'; readonly key: string; readonly code: string; readonly message: string }
  | ShownCall;

/** A user message and the turn of the agent that answers it. */
export interface ShownTurn {
  readonly key: string;
  readonly message?: Of<'user_message'>;
  readonly parts: readonly ShownPart[];
  readonly done?: Of<'done'>['reason'];
}

/** The transcript and status of a session, derived from its events. */
export interface SessionView {
  readonly lastSeq: number;
  readonly turns: readonly ShownTurn[];
  readonly status?: Of<'session_status'>;
}

export const emptyView: SessionView = { lastSeq: 0, turns: [] };

/** Applies events to a view. Turns that do not change stay the same objects. */
export function applyEvents(view: SessionView, events: readonly SessionEvent[]): SessionView {
  return events.reduce(withEvent, view);
}

function withEvent(view: SessionView, event: SessionEvent): SessionView {
  // A stream that reconnects can repeat events.
  if (event.seq <= view.lastSeq) return view;
  const next = { ...view, lastSeq: event.seq };
  if (event.type === 'session_status') return { ...next, status: event };
  if (event.type === 'user_message')
    return { ...next, turns: [...view.turns, { key: event.turnId, message: event, parts: [] }] };
  // A partly loaded session can begin in the middle of a turn.
  const turn = view.turns.at(-1) ?? { key: `from-${event.seq}`, parts: [] };
  return { ...next, turns: [...view.turns.slice(0, -1), changedTurn(turn, event)] };
}

type InTurn = Exclude<SessionEvent, { type: 'session_status' | 'user_message' }>;

function changedTurn(turn: ShownTurn, event: InTurn): ShownTurn {
  switch (event.type) {
    case 'text_delta':
      return withText(turn, 'text', event);
    case 'thinking_delta':
      return withText(turn, 'thinking', event);
    case 'error':
      return added(turn, { kind: 'error', key: String(event.seq), code: event.code, message: event.message });
    case 'done':
      return { ...turn, done: event.reason };
    case 'tool_call_start':
      return added(turn, startedCall(event));
    case 'tool_call_delta':
      return withCall(turn, event, (call) => ({ ...call, inputJson: call.inputJson + event.inputJson }));
    case 'tool_call_end':
      return withCall(turn, event, (call) => ({ ...call, input: event.input }));
    case 'tool_progress':
      return withCall(turn, event, (call) => ({ ...call, progress: event.progress }));
    case 'tool_result':
      return withCall(turn, event, (call) => ({ ...call, result: event }));
    case 'approval_required':
      return withCall(turn, event, (call) => ({ ...call, approvals: [...call.approvals, { asked: event }] }));
    case 'approval_resolved':
      return withCall(turn, event, (call) => ({
        ...call,
        approvals: call.approvals.map((each) => answered(each, event)),
      }));
    case 'question_prompt':
      return withCall(turn, event, (call) => ({ ...call, prompt: event }));
    case 'question_answered':
      return withCall(turn, event, (call) => ({ ...call, answeredBy: event.by }));
    case 'elicitation_required':
      return withCall(turn, event, (call) => ({ ...call, elicitations: [...call.elicitations, { asked: event }] }));
    case 'elicitation_resolved':
      return withCall(turn, event, (call) => ({
        ...call,
        elicitations: call.elicitations.map((each) =>
          each.asked.elicitationId === event.elicitationId ? { ...each, resolved: event } : each,
        ),
      }));
    case 'sampling_result':
      return withCall(turn, event, (call) => ({ ...call, samples: [...call.samples, event] }));
  }
}

function startedCall(start: Of<'tool_call_start'>): ShownCall {
  const nothing = { inputJson: '', approvals: [], elicitations: [], samples: [] };
  return { kind: 'call', key: String(start.seq), start, ...nothing };
}

function answered(
  approval: AskedApproval,
  { approvalId, decision, by, reason }: Of<'approval_resolved'>,
): AskedApproval {
  if (approval.asked.approvalId !== approvalId) return approval;
  return { ...approval, resolved: { decision, by, ...(reason === undefined ? {} : { reason }) } };
}

function added(turn: ShownTurn, part: ShownPart): ShownTurn {
  return { ...turn, parts: [...turn.parts, part] };
}

function withText(
  turn: ShownTurn,
  kind: 'text' | 'thinking',
  { seq, text }: { readonly seq: number; readonly text: string },
): ShownTurn {
  const last = turn.parts.at(-1);
  if (last?.kind !== kind) return added(turn, { kind, key: String(seq), text });
  return { ...turn, parts: [...turn.parts.slice(0, -1), { ...last, text: last.text + text }] };
}

/** Changes the call of an event. Some models reuse call ids: the last call with the id that has no result is meant. */
function withCall(
  turn: ShownTurn,
  { toolCallId }: { readonly toolCallId: string },
  change: (call: ShownCall) => ShownCall,
): ShownTurn {
  const isMeant = (part: ShownPart): boolean => part.kind === 'call' && part.start.toolCallId === toolCallId;
  const open = turn.parts.findLastIndex((part) => isMeant(part) && part.kind === 'call' && part.result === undefined);
  const index = open === -1 ? turn.parts.findLastIndex(isMeant) : open;
  const call = turn.parts[index];
  if (call?.kind !== 'call') return turn;
  return { ...turn, parts: turn.parts.with(index, change(call)) };
}
