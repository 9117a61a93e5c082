import assert from 'node:assert/strict';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { geminiTools } from 'signalbox/providers';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a town.',
  input: z.object({ town: z.string() }),
  output: z.object({ sky: z.string(), celsius: z.number() }),
  effect: 'read',
  run: ({ town }) => ({ sky: `sunny over ${town}`, celsius: 21 }),
});
const box = await createSignalbox({ servers: [localServer({ name: 'sky', tools: [weather] })], builtin: false });

const { tools, call } = geminiTools(box); // generateContent({ model, contents, config: { tools } })
assert.equal(tools[0]?.functionDeclarations[0]?.name, 'mcp__sky__weather');

// Your code passes `candidates[0].content.parts`, and sends the results as `{ role: 'user', parts }`.
const parts = await call([{ functionCall: { name: 'mcp__sky__weather', args: { town: 'Ulm' } } }]);

const output = { sky: 'sunny over Ulm', celsius: 21 };
assert.deepEqual(parts, [{ functionResponse: { name: 'mcp__sky__weather', response: { output } } }]);
await box.close();
console.log('The function call of the model ran through Signalbox, and its result has the shape that Gemini expects.');
