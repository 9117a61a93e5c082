import { parseName } from '../../../core/tools/tool-names.ts';
import type { CallResult, Progress } from '../../../core/calls/call.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ToolId } from '../../../core/tools/tool.ts';
import type { TurnEvent } from '../../runtime.ts';

/** The reported end of a call. */
type CallEnd = Pick<CallResult, 'outcome' | 'content' | 'changes'> & Partial<Pick<CallResult, 'callId' | 'durationMs'>>;

interface TrackedCall {
  stage: 'started' | 'running' | 'over';
  since: number;
  /** Its id and changes in the journal, if known before its end is reported. */
  recorded?: Pick<CallResult, 'callId' | 'changes'>;
  /** Events that arrived before the call's input was complete. The model's output and the calls arrive on separate channels. */
  pending: (() => void)[];
}

/** The server name of Claude Code's own tools. */
const ownServer = 'claude';

/** Emits the events of each call once and in order from both channels. */
export class ToolCallEvents {
  readonly #emit: (event: TurnEvent) => void;
  readonly #mounted: (name: string) => ToolId | undefined;
  readonly #calls = new Map<string, TrackedCall>();

  constructor(emit: (event: TurnEvent) => void, mounted: (name: string) => ToolId | undefined) {
    this.#emit = emit;
    this.#mounted = mounted;
  }

  start(toolCallId: string, toolName: string): void {
    const call = this.#call(toolCallId);
    if (call.since !== 0) return;
    call.since = performance.now();
    this.#emit({ type: 'tool_call_start', toolCallId, toolName, ...this.#identify(toolName) });
  }

  inputDelta(toolCallId: string, inputJson: string): void {
    if (this.#calls.get(toolCallId)?.stage === 'started')
      this.#emit({ type: 'tool_call_delta', toolCallId, inputJson });
  }

  /** Reports the complete input of a call. */
  inputComplete(toolCallId: string, toolName: string, input: JsonObject): void {
    this.start(toolCallId, toolName);
    const call = this.#call(toolCallId);
    if (call.stage !== 'started') return;
    call.stage = 'running';
    call.since = performance.now();
    this.#emit({ type: 'tool_call_end', toolCallId, input });
    for (const emit of call.pending.splice(0)) emit();
  }

  progress(toolCallId: string, progress: Progress): void {
    this.#whenRunning(toolCallId, () => this.#emit({ type: 'tool_progress', toolCallId, progress }));
  }

  /** Sets the id and changes of a call in the journal, which are reported with its end. */
  recorded(toolCallId: string, recorded: Pick<CallResult, 'callId' | 'changes'>): void {
    this.#call(toolCallId).recorded = recorded;
  }

  end(toolCallId: string, { outcome, content, durationMs, ...details }: CallEnd): void {
    this.#whenRunning(toolCallId, (call) => {
      call.stage = 'over';
      const took = durationMs ?? Math.round(performance.now() - call.since);
      const changes = details.changes ?? call.recorded?.changes;
      const callId = details.callId ?? call.recorded?.callId;
      const known = omitUndefined({ callId, changes });
      this.#emit({ type: 'tool_result', toolCallId, outcome, content, durationMs: took, ...known });
    });
  }

  /** Returns the ids of the calls that have started and not ended. */
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

  #whenRunning(id: string, emit: (call: TrackedCall) => void): void {
    const call = this.#call(id);
    if (call.stage === 'running') emit(call);
    else if (call.stage === 'started') call.pending.push(() => call.stage === 'running' && emit(call));
  }

  #identify(name: string): ToolId {
    return this.#mounted(name) ?? parseName(name) ?? { server: ownServer, tool: name };
  }
}
