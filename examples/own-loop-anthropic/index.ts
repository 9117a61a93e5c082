import assert from 'node:assert/strict';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { type AnthropicBlock, type AnthropicToolResult, anthropicTools } from 'signalbox/providers';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a town.',
  input: z.object({ town: z.string() }),
  effect: 'read',
  run: ({ town }) => `Sunny in ${town}.`,
});
const box = await createSignalbox({ servers: [localServer({ name: 'sky', tools: [weather] })], builtin: false });

// Replaces `(await client.messages.create({ model, max_tokens, messages, tools })).content`, so that the example needs no key.
const model = (results: readonly AnthropicToolResult[]): AnthropicBlock[] =>
  results.length === 0
    ? [{ type: 'tool_use', id: 'toolu_1', name: 'mcp__sky__weather', input: { town: 'Ulm' } }]
    : [{ type: 'text' }];

let results: AnthropicToolResult[] = [];
for (let content = model(results); content.some(({ type }) => type === 'tool_use'); content = model(results)) {
  const { tools, warnings, call } = anthropicTools(box); // read again in each round, because the catalog may have changed
  assert.deepEqual([tools.length, warnings.length], [1, 0]);
  results = await call(content, { session: 'my-loop' }); // messages.push({ role: 'user', content: results })
}

assert.deepEqual(results[0]?.content, [{ type: 'text', text: 'Sunny in Ulm.' }]);
assert.equal((await box.journal.calls()).items.length, 1);
await box.close();
console.log('The tool call of the model ran through Signalbox and is in the journal.');
