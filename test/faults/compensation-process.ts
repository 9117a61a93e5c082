/** Makes a call whose tool has its own undo, or undoes it. Started and killed by `compensation-kill.test.ts`. */
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';

const [, , data = '', call = '', undoMs = '0'] = process.argv;
const order = defineTool({
  name: 'order',
  description: 'Orders.',
  run: () => 'ordered',
  async undo() {
    appendFileSync(join(data, 'cancelled'), 'x');
    writeSync(1, 'undoing\n');
    await delay(Number(undoMs));
  },
});
const servers = [localServer({ name: 't', tools: [order] })];
const box = await createSignalbox({ data, servers, approve: () => ({ allow: true }) });
writeSync(1, 'ready\n');
if (call === '') writeSync(1, `${(await box.call('mcp__t__order')).callId}\n`);
else writeSync(1, `${(await box.undo.call(call)).outcome}\n`);
await box.close();
