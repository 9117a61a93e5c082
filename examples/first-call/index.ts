import assert from 'node:assert/strict';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import * as z from 'zod';

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody by name.',
  input: z.object({ name: z.string() }),
  effect: 'read',
  run: ({ name }) => `Hello, ${name}!`,
});

const box = await createSignalbox({ servers: [localServer({ name: 'people', tools: [greet] })] });

const result = await box.call('mcp__people__greet', { name: 'Ada' });
assert.deepEqual(result.content, [{ type: 'text', text: 'Hello, Ada!' }]);

const [entry] = (await box.journal.calls()).items;
console.log(entry); // { type: 'ToolInvoked', tool: 'mcp__people__greet', outcome: 'completed', arguments: …, hash: … }
assert.equal((await box.journal.verify()).ok, true);
await box.close();
