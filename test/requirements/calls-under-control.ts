import type { Section } from './requirement.ts';

/** C. Calls under control */
export const callsUnderControl: Section<'C'> = {
  C1: {
    promise: 'every kind of policy works, all must allow, and errors deny',
    tests: [
      'test/policy/agreement.test.ts > the engine agrees with a slow, obvious evaluator on 100,000 random traces',
      'src/policy/policy.test.ts > a decision > deny beats ask beats allow, whatever their order',
      'src/policy/policy.test.ts > a decision > of a rule that cannot be evaluated is deny, with the error, also where the rule would allow',
      'src/policy/policy.test.ts > a decision > reports what rules in shadow mode would have said, and nothing more',
      'src/policy/policy.test.ts > flow rules > a session that has seen private data sends nothing out, whatever it says',
      'src/policy/read-policy.test.ts > a policy > of the documentation can be read, and every rule knows its line',
      'src/policy/read-policy.test.ts > a policy > tells everything that is wrong with it at once, with line, column and the nearest valid key',
      'src/call/policies.test.ts > policies > a deploy is refused until the tests have passed, and result and journal say why alike',
      'src/call/policies.test.ts > policies > calls side by side never get more through than a limit allows',
      'src/call/policies.test.ts > policies > the past is read back from the journal after a restart',
      'src/call/policies.test.ts > policies > can be changed while the box runs; wrong ones change nothing',
      'src/call/policies.test.ts > policies > what is read as private does not leave, whole or encoded, in this session or another of the same principal',
      'src/call/policies.test.ts > a policy in code > can deny, ask and allow, now or later, and is told of results',
      'src/call/policies.test.ts > a policy in code > that fails, or gives no answer, denies',
      'src/call/policies.test.ts > a policy in code > cannot allow what a rule denies',
      'src/cli/configured/configured-box.test.ts > changed rules are in force without a restart, and rules with a mistake leave the old ones in force',
      'test/e2e/cli-policy.test.ts > policy > check tells what is wrong with file, line and column, and ends with 2; call and doctor say the same',
    ],
  },
  C2: {
    promise: 'the permission modes do what the architecture page says',
    tests: [
      'src/policy/permission-mode.test.ts > the permission mode default makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode acceptEdits makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode plan makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode dontAsk makes of each decision what the architecture says',
      'src/policy/permission-mode.test.ts > the permission mode bypassPermissions makes of each decision what the architecture says',
      'src/call/policies.test.ts > permission modes hold for calls: plan only reads, bypassing asks nothing but never beats a deny',
    ],
    missing: 'sessions that have a mode',
  },
  C3: {
    promise: 'an approval is bound to one exact call, single use, expiring, durable, and human',
    tests: [
      'src/call/approvals/approvals.test.ts > an approval > lets exactly one call run: the same one, made again, at once',
      'src/call/approvals/approvals.test.ts > an approval > does not hold for other arguments, another principal, a changed definition or another policy, and says so',
      'src/call/approvals/approvals.test.ts > an approval > survives a restart, asked or approved, and is used up by a run that nobody saw end',
      'src/call/approvals/approvals.test.ts > an approval > expires, whether it was answered or not',
      'src/call/approvals/approvals.test.ts > an approval > shows and binds what the tool really runs with: also what the configuration fills in',
      'src/call/approvals/approvals.test.ts > answers > only humans give them: not the agent that asks, not any other',
      'src/call/approvals/edited-arguments.test.ts > edit, then approve > runs another call with the human’s arguments; the caller gets its result and learns what was edited',
      'src/server/routes/approvals.test.ts > the inbox over HTTP > never lets a token answer, which may be an agent’s',
      'src/call/approvals/edited-arguments.test.ts > edit, then approve > the call that is made again runs as edited, never as it was, and nothing is remembered',
      'test/faults/approval-races.test.ts > 10000 races of two approvers in two processes, with changed arguments, definitions, policies and restarts: at most one run for each approval, never of another call',
      'test/faults/approval-kills.test.ts > two processes that ask, approve and run the same calls, killed 60 times: one run for each approval that was used, and no other',
    ],
  },
  C4: {
    promise: 'an approval reaches a human wherever they are; the first answer wins and the others are told',
    tests: [
      'src/call/approvals/approvals.test.ts > channels > all are asked at once; the first answer wins and the others are told by the signal',
      'src/call/approvals/approvals.test.ts > answers > the first one wins; the others learn whose it was and when',
      'test/e2e/cli-approvals.test.ts > approvals > a call that waits in one process is answered in another: edited, or denied with a reason',
      'test/e2e/cli-approvals.test.ts > approvals > while the terminal asks, an answer from elsewhere ends the question',
      'src/server/routes/approvals.test.ts > the inbox over HTTP > shows what waits; a yes from a signed-in browser runs the call that waits',
    ],
    missing: 'session events, the console, MCP elicitation and `input_required`, Claude’s permission callback',
  },
  C5: {
    promise: 'intent before effect; a crash in between is `unknown` and nothing with an effect is run twice',
    tests: [
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
      'src/call/idempotency.test.ts > idempotency keys > duplicate deliveries run once, together and one after the other, whatever the order of their properties',
      'test/faults/crash-after-effect.test.ts > 500 crashes between effect and record: every call is unknown, and delivering it again has no second effect',
      'src/call/settle.test.ts > settling a call whose outcome is unknown > is recorded with who and why, shown with the call, and told to later deliveries',
      'src/call/retries.test.ts > retries > a read, or a tool marked idempotent, is tried again when the way to it broke; the record says how often',
      'src/call/retries.test.ts > retries > nothing else is ever tried again: no effect, no error of the tool itself',
    ],
  },
  C6: {
    promise: 'undo restores byte for byte what the call changed, and reports conflicts',
    tests: [
      'src/undo/random-trees.test.ts > undo of shell commands > 1000 random trees changed by random shell commands are restored byte for byte',
      'test/faults/undo-kill.test.ts > kill -9 in the middle of an undo, 25 times, run again: the same result (SIGNALBOX_KILLS for more)',
      'src/undo/undo-engine.test.ts > conflicts > whatever others do to a path after the call is reported and left as it is',
      'src/call/undo-external.test.ts > what a tool of an external server changed in its declared workspace is shown and undone',
    ],
  },
  C7: {
    promise: 'failed, timed-out and cancelled undoable calls are rolled back; compensations run in reverse, once',
    tests: [
      'src/call/undo.test.ts > undoable calls > failed: rolled back by itself, session state too',
      'src/call/undo.test.ts > undoable calls > timed-out: rolled back by itself, session state too',
      'src/call/undo.test.ts > undoable calls > cancelled: rolled back by itself, session state too',
      'src/call/undo.test.ts > undoable calls > parallel calls in one workspace come one after the other, and each is undone without the others',
      'src/call/undo.test.ts > compensations > run in reverse order, once',
    ],
  },
  C8: {
    promise: 'exactly one `ToolInvoked` per call, however it ended, with everything about it',
    tests: [
      'src/call/record.test.ts > ToolInvoked > is written exactly once for every call, however it ended, with everything about it',
      'src/call/record.test.ts > ToolInvoked > the rendered output has at most 1000 characters',
    ],
  },
  C9: {
    promise: 'the journal is append-only, hash-chained, verifiable, exportable and free of secrets; traces and metrics',
    tests: [
      'src/journal/chain.test.ts > hash chain > any edit of any column of any entry is detected',
      'src/journal/chain.test.ts > hash chain > any deletion is detected, at the start, inside and at the end',
      'src/journal/chain.test.ts > hash chain > any reordering is detected',
      'src/call/record.test.ts > secrets > a planted secret never reaches the disk, wherever it appears',
      'src/call/observe.test.ts > telemetry > a call is one span by the GenAI and MCP conventions, and spans of the handler are its children',
      'test/e2e/cli-journal.test.ts > journal > export writes every entry as a line, the oldest first, and ends quietly when nobody reads',
      'test/faults/kill-loop.test.ts > kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
    ],
  },
  C10: {
    promise: '`policy backtest` tells which recorded decisions a changed policy would change',
    tests: [
      'test/e2e/cli-policy.test.ts > policy > backtest prints the recorded calls that a changed policy would have decided otherwise',
      'src/server/routes/policies.test.ts > /api/policies > backtests rules on the recorded calls',
      'src/call/policies.test.ts > a backtest with the rules that decided finds nothing changed: remembered approvals and modes are not the rules’ doing',
    ],
  },
  C11: {
    promise: 'a recorded session replays offline with its recorded results',
    tests: [
      'src/testing/testing.test.ts > a recorded server > is replayed without being reached: the same tools, results and errors',
      'src/testing/testing.test.ts > a recorded server > gives results in the order they were recorded, failures too, and holds no secret',
      'src/testing/replay-session.test.ts > a recorded session > is run again offline, with the same outcomes and results, denied and failed ones too',
      'src/testing/replay-session.test.ts > a recorded session > has no differences when nothing changed, whatever its calls came to',
      'test/e2e/cli-replay.test.ts > replay > runs a recorded session again without its servers, and ends with 1 when rules change what comes out',
    ],
  },
  C12: {
    promise: 'an oversized result becomes a resource to page through; nothing is lost',
    tests: [
      'src/call/large-results.test.ts > oversized results > an agent can page through the whole with read_result; nothing is lost',
      'src/call/large-results.test.ts > oversized results > a result at the limit is handed out as it is, one beyond it as a preview with a link',
    ],
  },
  C13: {
    promise: 'result cache for reads; rate and concurrency limits per server',
    tests: [
      'src/call/server-limits.test.ts > the result of a read > is given out again for the same arguments, in any order of keys, and says so in the record',
      'src/call/server-limits.test.ts > the result of a read > holds until something with an effect ran at that server, also when that failed',
      'src/call/server-limits.test.ts > the result of a read > is not given to another principal or session, and not without the setting',
      'src/call/server-limits.test.ts > the rate limit of a server > lets the calls beyond it wait for their turn',
      'src/call/server-limits.test.ts > the rate limit of a server > fails a call whose turn would come too late, says when to come back, and does not run it',
      'src/call/rate.test.ts > in no span of time do more begin than the limit says, and none waits longer than it must',
      'src/call/outcomes.test.ts > time and cancellation > a server gets no more calls at a time than it takes, in the order they came',
      'src/config/load-configuration.test.ts > a good configuration > says how much a server may take',
    ],
  },
  C14: {
    promise: 'every decision names its rule and the values it looked at, the same everywhere',
    tests: [
      'src/policy/policy.test.ts > a decision > names its rule, the line, the reason and the values the rule looked at',
      'src/call/policies.test.ts > policies > a deploy is refused until the tests have passed, and result and journal say why alike',
      'src/call/policies.test.ts > policies > values in a decision hold no secrets',
      'src/server/routes/policies.test.ts > /api/policies > shows the rules in force, takes other ones, and calls are decided by them and say why',
      'test/e2e/cli-policy.test.ts > policy > explain names rule, line, values, reason and shadow of a call',
    ],
    missing: 'the console',
  },
  C15: {
    promise: 'remembering an approval writes a visible, revocable rule and first shows what it would have let through',
    tests: [
      'src/call/approvals/remembered.test.ts > remembering > first shows which calls on record it would have let through, and which of them a human refused',
      'src/call/approvals/remembered.test.ts > remembering > is visible and revocable: a revoked rule asks again, and the journal has it',
      'src/call/approvals/remembered.test.ts > remembering > revoked before the approval was used: that does not run the call either',
      'src/call/approvals/remembered.test.ts > rules that ask together > are all in the question, and all must be remembered for the call to run without it',
      'src/call/approvals/remembered.test.ts > rules that ask together > a rule that is written differently asks again, one that is only laid out differently does not',
      'test/faults/remembering-races.test.ts > 2000 races with edited, remembered and revoked approvals in two processes under changing rules: what runs was approved as it runs, or is remembered for all that asks',
      'src/call/approvals/remembered.test.ts > remembering > for the session: the tool runs in it without a question, in no other',
      'src/call/approvals/remembered.test.ts > remembering > for the arguments, the tool, or the server: so far and no further',
      'test/e2e/cli-approvals.test.ts > approvals > remembering shows what it would have let through, needs a clear yes, is listed and revoked',
    ],
  },
};
