import type { TestContext } from 'node:test';
import { type CallResult, type Signalbox, createSignalbox, defineTool, localServer } from '../../src/index.ts';
import type { JsonObject } from '../../src/core/json/json.ts';

export interface AttackedBox {
  readonly box: Signalbox;
  readonly ran: JsonObject[];
  call(args: JsonObject): Promise<CallResult>;
}

/** Creates a box whose only tool, a read, runs unless a rule denies it. */
export async function createAttackedBox(
  t: TestContext,
  rules: readonly object[],
  workspace?: readonly string[],
): Promise<AttackedBox> {
  const ran: JsonObject[] = [];
  const run = defineTool({
    name: 'run',
    description: 'Runs.',
    input: { type: 'object' },
    effect: 'read',
    run(args: unknown) {
      ran.push(args as JsonObject);
      return 'done';
    },
  });
  const limits = workspace === undefined ? {} : { workspace };
  const box = await createSignalbox({
    servers: [localServer({ name: 'x', tools: [run], ...limits })],
    policies: [{ file: 'policies.yaml', text: JSON.stringify(rules) }],
  });
  t.after(() => box.close());
  return { box, ran, call: (args) => box.call('mcp__x__run', args) };
}
