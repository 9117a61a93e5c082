import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type CallStarted, SignalboxError } from '../../src/index.ts';
import type { Decision } from '../../src/core/calls/decision.ts';
import { type CoreBox, openCoreBox } from '../support/boxes/core-box.ts';
import { isFull } from '../support/faults.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { type TestSource, testSource, testTool } from '../support/boxes/test-source.ts';

const toolCount = 50;
const batches = isFull() ? 10 : 2;
const roundsPerTool = 20;
const alice = { id: 'alice', kind: 'human' } as const;
const bob = { id: 'bob', kind: 'human' } as const;

/** A run of a tool, with its definition. */
interface Run {
  readonly callId: string;
  readonly tool: number;
  readonly amount: number;
  readonly definition: number;
}

/** One tool with its own definition and its own policy, both of which change while calls wait. */
interface RacedTool {
  readonly index: number;
  definition: number;
  policy: number;
  amount: number;
}

test(
  `races of two approvers in two processes, with changed arguments, definitions, policies and restarts: at most one run for each approval, never of another call`,
  { timeout: 900_000 },
  async (t) => {
    const directory = createMemoryDirectory('races');
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'signalbox.db');
    const random = seeded(runSeed);
    const chance = (probability: number): boolean => random() < probability;
    const runs: Run[] = [];
    const all: RacedTool[] = Array.from({ length: toolCount }, (_, index) => ({
      index,
      definition: 1,
      policy: 1,
      amount: 0,
    }));
    const answers = { approved: 0, late: 0 };
    const decisions = new Map<string, 'approved' | 'denied'>();

    const toolOf = ({ index, definition }: RacedTool) =>
      testTool(`pay_${index}`, {
        effect: 'irreversible',
        description: `Pays, version ${definition}.`,
        run: (args, { callId }) => {
          runs.push({ callId, tool: index, amount: (args as { amount: number }).amount, definition });
          return 'paid';
        },
      });
    const decide = (name: string): Decision => {
      const raced = all[Number(name.split('_').at(-1))];
      return { answer: 'ask', rule: 'test', reason: 'a test', version: String(raced?.policy) };
    };
    let sources: TestSource[] = [];
    const publish = (): void => sources.forEach((source) => source.change({ tools: all.map(toolOf) }));
    const open = async (): Promise<CoreBox> => {
      const source = testSource('bank', all.map(toolOf));
      sources.push(source);
      return openCoreBox(file, [source], decide);
    };

    const round = async (raced: RacedTool, boxes: readonly CoreBox[]): Promise<void> => {
      const someBox = (): CoreBox => (chance(0.5) ? boxes[0] : boxes[1]) as CoreBox;
      const pay = (amount: number, waitMs = 0) =>
        someBox().call(`mcp__bank__pay_${raced.index}`, { amount }, { waitMs });
      // Sometimes repeats the arguments that the restart or the previous round left unused.
      if (!chance(0.3)) raced.amount += 1;
      const { amount } = raced;
      const waiting = chance(0.1) ? [pay(amount, 400)] : [];
      const [first, second] = await Promise.all([pay(amount), pay(amount)]);
      const ids = new Set(
        [first, second].flatMap((result) => ('approvalId' in result ? [result.approvalId ?? ''] : [])),
      );
      for (const id of ids) {
        const other = chance(0.2) ? 'denied' : 'approved';
        const answered = await Promise.allSettled([
          someBox().approvals.approve(id, { by: alice }),
          someBox().approvals[other === 'denied' ? 'deny' : 'approve'](id, { by: bob }),
        ]);
        if (answered[0].status === 'fulfilled') decisions.set(id, 'approved');
        if (answered[1].status === 'fulfilled') decisions.set(id, other);
        answers.approved += answered.filter(({ status }) => status === 'fulfilled').length;
        for (const each of answered) {
          if (each.status === 'fulfilled') continue;
          answers.late += 1;
          assert.ok(
            each.reason instanceof SignalboxError && each.reason.code === 'approval-answered',
            String(each.reason),
          );
        }
        assert.ok(answered.filter(({ status }) => status === 'fulfilled').length <= 1, 'both answers were accepted');
      }
      if (chance(0.2)) raced.policy += 1;
      if (chance(0.1)) {
        raced.definition += 1;
        publish();
      }
      if (chance(0.2)) return; // leaves the approval unused
      const again = [pay(amount), pay(amount), ...(chance(0.3) ? [pay(amount + 1_000_000)] : []), ...waiting];
      await Promise.all(again);
    };

    for (let batch = 0; batch < batches; batch += 1) {
      sources = [];
      const boxes = await Promise.all([open(), open()]);
      await Promise.all(
        all.map(async (raced) => {
          for (let index = 0; index < roundsPerTool; index += 1) await round(raced, boxes);
        }),
      );
      await Promise.all(boxes.map((box) => box.close()));
    }

    const box = await open();
    const approvals = await box.approvals.list({ all: true, limit: 1_000_000 });
    const byCall = new Map(
      approvals.flatMap((approval) => (approval.usedBy === undefined ? [] : [[approval.usedBy, approval]])),
    );
    const hint = `(seed ${runSeed})`;
    assert.equal(new Set(runs.map(({ callId }) => callId)).size, runs.length, `a call ran twice ${hint}`);
    for (const run of runs) {
      const approval = byCall.get(run.callId);
      assert.ok(approval !== undefined, `${run.callId} ran without its own approval ${hint}`);
      assert.equal(approval.tool, `mcp__bank__pay_${run.tool}`, hint);
      assert.deepEqual(approval.arguments, { amount: run.amount }, hint);
      assert.equal(decisions.get(approval.id), 'approved', `${run.callId} ran without an approving answer ${hint}`);
    }
    const started = new Map<string, CallStarted>();
    for await (const event of box.journal.stream({ type: 'CallStarted' }))
      if (event.type === 'CallStarted') started.set(event.callId, event);
    for (const [call, approval] of byCall) {
      const intent = started.get(call);
      assert.equal(intent?.definitionHash, approval.definitionHash, hint);
      assert.equal(intent?.decision?.version, approval.decision.version, hint);
    }
    assert.equal(runs.length, byCall.size, `every used approval ran its call, and no other ${hint}`);
    assert.ok(
      runs.length > batches * 200 && answers.late > batches * 200,
      `only ${runs.length} runs: the test shows little`,
    );
    assert.ok((await box.journal.verify()).ok);
    await box.close();
    t.diagnostic(
      `seed ${runSeed}: ${approvals.length} approvals, ${answers.approved} answered, ${answers.late} too late, ${runs.length} runs`,
    );
  },
);
