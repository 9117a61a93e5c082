import type { Undone, ToolInvoked } from '../../journal/entries/journal-event.ts';
import type { JournalReader } from '../../journal/queries/journal-reader.ts';
import { type Backtest, Backtester, type BacktestCall } from '../../policy/backtest.ts';
import { type HostRuleSource, compilePolicies } from './compile-policies.ts';
import { eventOf, namingIn } from './recorded-calls.ts';

/** Returns the recorded calls that a policy would have decided differently. Calls before `since` only count as past calls. */
export async function backtest(
  journal: JournalReader,
  rules: readonly HostRuleSource[],
  { since = 0, signal }: { readonly since?: number; readonly signal?: AbortSignal } = {},
  directoriesOf?: ConstructorParameters<typeof Backtester>[1],
): Promise<Backtest> {
  const backtester = new Backtester(compilePolicies(rules), directoriesOf);
  const options = signal === undefined ? {} : { signal };
  const undone: Undone[] = [];
  for await (const entry of journal.stream({ type: 'Undone' }, options))
    if (entry.type === 'Undone' && (entry.result === 'undone' || entry.result === 'partly-undone')) undone.push(entry);
  let next = 0;
  for await (const entry of journal.stream({ type: 'ToolInvoked' }, options)) {
    if (entry.type !== 'ToolInvoked') continue;
    // An undo affects the calls that were recorded after it.
    for (let each = undone[next]; each !== undefined && each.seq < entry.seq; each = undone[(next += 1)])
      backtester.undo(each.callId);
    backtester.add(toBacktestCall(entry), Date.parse(entry.at) >= since);
  }
  signal?.throwIfAborted();
  return backtester.result();
}

function toBacktestCall(entry: ToolInvoked): BacktestCall {
  const { callId, tool, principal, durationMs, server = '', effect = 'irreversible', labels = [] } = entry;
  return {
    id: callId,
    at: Date.parse(entry.at) - (durationMs ?? 0),
    tool,
    server,
    naming: namingIn(entry),
    effect,
    labels,
    arguments: entry.arguments,
    principal,
    session: entry.sessionId ?? '',
    decision: entry.decision,
    event: eventOf(entry),
  };
}
