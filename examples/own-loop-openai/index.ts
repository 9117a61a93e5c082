import assert from 'node:assert/strict';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { type OpenaiToolCall, openaiTools } from 'signalbox/providers';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a town.',
  input: z.object({ town: z.string(), day: z.enum(['today', 'tomorrow']).optional() }),
  effect: 'read',
  run: ({ town, day = 'today' }) => `Sunny in ${town} ${day}.`,
});
const box = await createSignalbox({ servers: [localServer({ name: 'sky', tools: [weather] })], builtin: false });

// `api: 'responses'` gives the tools of the Responses API; its `call` takes `response.output`.
const { tools, call } = openaiTools(box, { api: 'chat', strict: true });
assert.equal(tools[0]?.function.strict, true);

// In the place of `message.tool_calls` of a chat completion: in strict mode a model writes null for what it leaves out.
const ask = (id: string, args: string): OpenaiToolCall => ({
  id,
  type: 'function',
  function: { name: 'mcp__sky__weather', arguments: args },
});
const [ulm, broken] = await call([ask('call_1', '{"town":"Ulm","day":null}'), ask('call_2', '{"town":')]);

assert.deepEqual(ulm, { role: 'tool', tool_call_id: 'call_1', content: 'Sunny in Ulm today.' });
assert.match(broken?.content ?? '', /"outcome":"failed".*not valid JSON/);
await box.close();
