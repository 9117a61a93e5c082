import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CallStarted, type PolicySource, SignalboxError } from '../../src/index.ts';
import type { Approval } from '../../src/core/calls/approval.ts';
import { askingRules } from '../../src/core/calls/decision.ts';
import { type CoreBox, openCoreBox } from '../support/boxes/core-box.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { testSource, testTool } from '../support/boxes/test-source.ts';

const toolCount = 20;
const batches = 5;
const roundsPerTool = 20;
const people = [
  { id: 'alice', kind: 'human' },
  { id: 'bob', kind: 'human' },
] as const;
const amounts = [1, 2, 3, 1001, 1002];

/** Two rules that may ask about one call; the text of the first changes with each version. */
function rules(version: number): PolicySource[] {
  return [
    { id: 'sending', match: 'mcp__bank__*', ask: true, reason: `version ${version}` },
    { id: 'large', match: 'mcp__bank__*', ask: 'args.amount > 1000.0' },
  ];
}

interface Run {
  readonly callId: string;
  readonly tool: string;
  readonly amount: number;
}

/** The order of events in this process: an event that ended before another began has a lower number. */
class Clock {
  #now = 0;
  readonly begun = new Map<string, number>();
  readonly ended = new Map<string, number>();
  readonly answered = new Map<string, number>();
  readonly revoked = new Map<string, number>();

  next(): number {
    return (this.#now += 1);
  }
}

test(
  `${toolCount * batches * roundsPerTool} races with edited, remembered and revoked approvals in two processes under changing rules: each run was approved with its exact arguments, or is remembered for all rules that ask`,
  { timeout: 900_000 },
  async (t) => {
    const directory = createMemoryDirectory('remembering');
    t.after(() => rmSync(directory, { recursive: true }));
    const random = seeded(runSeed);
    const chance = (probability: number): boolean => random() < probability;
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const clock = new Clock();
    const runs: Run[] = [];
    const denied = new Set<string>();
    let version = 1;

    const tools = Array.from({ length: toolCount }, (_, index) =>
      testTool(`send_${index}`, {
        effect: 'compensable',
        run: (args, { callId }) => {
          runs.push({ callId, tool: `mcp__bank__send_${index}`, amount: (args as { amount: number }).amount });
          return 'sent';
        },
      }),
    );
    const open = (): Promise<CoreBox> =>
      openCoreBox(join(directory, 'signalbox.db'), [testSource('bank', tools)], rules(version));

    const answer = async (box: CoreBox, id: string, by: (typeof people)[number], amount: number): Promise<void> => {
      const how = pick(['edit', 'edit', 'remember', 'remember', 'once', 'deny'] as const);
      try {
        if (how === 'deny') {
          await box.approvals.deny(id, { by });
          denied.add(id);
        } else
          await box.approvals.approve(id, {
            by,
            ...(how === 'edit' ? { arguments: { amount: amount + 0.5 } } : {}),
            ...(how === 'remember' ? { remember: pick(['session', 'arguments', 'tool'] as const) } : {}),
          });
        clock.answered.set(id, clock.next());
      } catch (error) {
        assert.ok(error instanceof SignalboxError && error.code === 'approval-answered', String(error));
      }
    };

    const round = async (tool: string, boxes: readonly CoreBox[]): Promise<void> => {
      const [amount, session] = [pick(amounts), pick(['s0', 's1'])];
      const send = async (waitMs = 0): Promise<string[]> => {
        const begun = clock.next();
        const result = await pick(boxes).call(tool, { amount }, { waitMs, session });
        clock.begun.set(result.callId, begun);
        clock.ended.set(result.callId, clock.next());
        return 'approvalId' in result && result.approvalId !== undefined ? [result.approvalId] : [];
      };
      const waiting = chance(0.1) ? [send(300)] : [];
      const ids = new Set((await Promise.all([send(), send()])).flat());
      for (const id of ids) await Promise.all(people.map((by) => answer(pick(boxes), id, by, amount)));
      if (chance(0.3)) {
        const own = (await pick(boxes).approvals.rules()).filter((rule) => rule.tool === tool);
        const rule = own.length === 0 ? undefined : pick(own);
        if (rule !== undefined) {
          await pick(boxes).approvals.revoke(rule.id, { by: people[0] });
          clock.revoked.set(rule.id, clock.next());
        }
      }
      if (chance(0.01)) {
        version += 1;
        await Promise.all(boxes.map((box) => box.setPolicies(rules(version))));
      }
      await Promise.all([...(chance(0.8) ? [send(), send()] : []), ...waiting]);
    };

    for (let batch = 0; batch < batches; batch += 1) {
      const boxes = await Promise.all([open(), open()]);
      await Promise.all(
        tools.map(async ({ tool }) => {
          for (let index = 0; index < roundsPerTool; index += 1) await round(`mcp__bank__${tool}`, boxes);
        }),
      );
      await Promise.all(boxes.map((box) => box.close()));
    }

    const box = await open();
    const hint = `(seed ${runSeed})`;
    const approvals = await box.approvals.list({ all: true, limit: 1_000_000 });
    const byUse = new Map(approvals.flatMap((each) => (each.usedBy === undefined ? [] : [[each.usedBy, each]])));
    const byId = new Map(approvals.map((each) => [each.id, each]));
    const started = new Map<string, CallStarted>();
    const madeBy = new Map<string, { readonly approval: Approval; readonly scope: string }>();
    for await (const event of box.journal.stream({})) {
      if (event.type === 'CallStarted') started.set(event.callId, event);
      if (event.type !== 'ApprovalResolved' || event.remembered === undefined) continue;
      const approval = byId.get(event.approvalId);
      assert.ok(approval !== undefined && approval.answer?.arguments === undefined, `an edit was remembered ${hint}`);
      madeBy.set(event.remembered.rule, { approval, scope: event.remembered.scope });
    }
    const counts = { edited: 0, once: 0, remembered: 0 };
    const edits = approvals.filter((each) => each.answer?.arguments !== undefined);

    for (const run of runs) {
      const intent = started.get(run.callId);
      assert.ok(intent?.decision !== undefined, hint);
      const { decision } = intent;
      // The result of a call with edited arguments has the id of the call that replaced it.
      const begun = clock.begun.get(run.callId);
      assert.ok(begun !== undefined, hint);
      const used = byUse.get(run.callId);
      if (used !== undefined) {
        const { arguments: edited, rule } = used.answer ?? {};
        counts[edited === undefined ? 'once' : 'edited'] += 1;
        assert.equal(used.tool, run.tool, hint);
        assert.deepEqual({ amount: run.amount }, edited ?? used.arguments, `the arguments were not approved ${hint}`);
        assert.ok(!denied.has(used.id), `${run.callId} ran after a denial ${hint}`);
        assert.ok(begun < (clock.revoked.get(rule ?? '') ?? Infinity), `ran by a revoked rule ${hint}`);
        continue;
      }
      counts.remembered += 1;
      const [, rule = ''] = /^remembered:(.*)$/.exec(decision.rule) ?? [];
      const made = madeBy.get(rule);
      assert.ok(made !== undefined, `${run.callId} ran without an approval: ${decision.rule} ${hint}`);
      const { approval, scope } = made;
      assert.equal(approval.tool, run.tool, hint);
      assert.equal(approval.decision.policy, decision.policy, `the rule has changed since ${hint}`);
      if (scope === 'session') assert.equal(approval.session, intent.sessionId, hint);
      if (scope === 'arguments') assert.deepEqual(approval.arguments, { amount: run.amount }, hint);
      assert.ok(begun < (clock.revoked.get(rule) ?? Infinity), `ran by a revoked rule ${hint}`);
      const answersLarge = [...madeBy.values()].some(
        (each) =>
          each.approval.tool === run.tool && askingRules(each.approval.decision).some((one) => one.rule === 'large'),
      );
      assert.ok(run.amount <= 1000 || answersLarge, `"large" was never answered ${hint}`);
      const ended = clock.ended.get(run.callId) ?? 0;
      const enclosingEdit = edits.find(
        (edit) =>
          edit.tool === run.tool &&
          edit.arguments['amount'] === run.amount &&
          edit.decision.policy === decision.policy &&
          (clock.answered.get(edit.id) ?? Infinity) < begun &&
          (clock.begun.get(edit.usedBy ?? '') ?? Infinity) > ended,
      );
      assert.equal(enclosingEdit, undefined, `${run.callId} ran unedited during an edit ${hint}`);
    }
    assert.equal(new Set(runs.map(({ callId }) => callId)).size, runs.length, `a call ran twice ${hint}`);
    assert.equal(counts.edited + counts.once, byUse.size, `every used approval ran its call, and no other ${hint}`);
    for (const [kind, count] of Object.entries({ ...counts, revoked: clock.revoked.size, versions: version }))
      assert.ok(count > 5, `only ${count} ${kind}: the test shows little ${hint}`);
    assert.ok((await box.journal.verify()).ok);
    await box.close();
    t.diagnostic(`seed ${runSeed}: ${JSON.stringify({ ...counts, revoked: clock.revoked.size, version })}`);
  },
);
