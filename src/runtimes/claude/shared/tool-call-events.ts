import { parseName } from '../../../catalog/names.ts';
import type { CallResult, Progress } from '../../../core/calls/call.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ToolId } from '../../../core/tools/tool.ts';
import type { TurnEvent } from '../../runtime.ts';

/** How a call ended, as it is told. */
export type CallEnd = Pick<CallResult, 'outcome' | 'content' | 'changes'> &
  Partial<Pick<CallResult, 'callId' | 'durationMs'>>;

interface TrackedCall {
  stage: 'started' | 'running' | 'over';
  since: number;
  /** How it is on record and what it changed, where that is known before its end is told. */
  recorded?: Pick<CallResult, 'callId' | 'changes'>;
  /** What came before the call was told in full: the model's words and the calls come by two ways. */
  pending: (() => void)[];
}

/** The server under which a tool of Claude Code itself is told. */
const ownServer = 'claude';

/** Tells calls step by step, each step once and in its order, from whichever side it is heard of first. */
export class ToolCallEvents {
  readonly #tell: (event: TurnEvent) => void;
  readonly #mounted: (name: string) => ToolId | undefined;
  readonly #calls = new Map<string, TrackedCall>();

  constructor(tell: (event: TurnEvent) => void, mounted: (name: string) => ToolId | undefined) {
    this.#tell = tell;
    this.#mounted = mounted;
  }

  start(toolCallId: string, toolName: string): void {
    const call = this.#call(toolCallId);
    if (call.since !== 0) return;
    call.since = performance.now();
    this.#tell({ type: 'tool_call_start', toolCallId, toolName, ...this.#identify(toolName) });
  }

  inputDelta(toolCallId: string, inputJson: string): void {
    if (this.#calls.get(toolCallId)?.stage === 'started')
      this.#tell({ type: 'tool_call_delta', toolCallId, inputJson });
  }

  /** The call is told in full. */
  inputComplete(toolCallId: string, toolName: string, input: JsonObject): void {
    this.start(toolCallId, toolName);
    const call = this.#call(toolCallId);
    if (call.stage !== 'started') return;
    call.stage = 'running';
    call.since = performance.now();
    this.#tell({ type: 'tool_call_end', toolCallId, input });
    for (const tell of call.pending.splice(0)) tell();
  }

  progress(toolCallId: string, progress: Progress): void {
    this.#whenRunning(toolCallId, () => this.#tell({ type: 'tool_progress', toolCallId, progress }));
  }

  /** How a call is on record, and what it changed; told with its end. */
  recorded(toolCallId: string, recorded: Pick<CallResult, 'callId' | 'changes'>): void {
    this.#call(toolCallId).recorded = recorded;
  }

  end(toolCallId: string, { outcome, content, durationMs, ...told }: CallEnd): void {
    this.#whenRunning(toolCallId, (call) => {
      call.stage = 'over';
      const took = durationMs ?? Math.round(performance.now() - call.since);
      const changes = told.changes ?? call.recorded?.changes;
      const callId = told.callId ?? call.recorded?.callId;
      this.#tell({
        type: 'tool_result',
        toolCallId,
        outcome,
        content,
        durationMs: took,
        ...(callId === undefined ? {} : { callId }),
        ...(changes === undefined ? {} : { changes }),
      });
    });
  }

  /** The calls that were told and have not ended. */
  openCallIds(): string[] {
    return [...this.#calls].flatMap(([id, { stage, since }]) => (stage !== 'over' && since !== 0 ? [id] : []));
  }

  #call(id: string): TrackedCall {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call: TrackedCall = { stage: 'started', since: 0, pending: [] };
    this.#calls.set(id, call);
    return call;
  }

  #whenRunning(id: string, tell: (call: TrackedCall) => void): void {
    const call = this.#call(id);
    if (call.stage === 'running') tell(call);
    else if (call.stage === 'started') call.pending.push(() => call.stage === 'running' && tell(call));
  }

  #identify(name: string): ToolId {
    return this.#mounted(name) ?? parseName(name) ?? { server: ownServer, tool: name };
  }
}
