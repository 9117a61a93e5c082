/** Your own loop with the OpenAI SDK: the tools are in its format, and the calls pass through the box. */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { createSignalbox, defineTool, localServer } from 'signalbox';
import { openaiTools } from 'signalbox/providers';
import * as z from 'zod';
import { scriptedOpenai } from '../support/scripted-openai.ts';

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a town.',
  input: z.object({ town: z.string(), day: z.enum(['today', 'tomorrow']).optional() }),
  effect: 'read',
  run: ({ town, day = 'today' }) => `Sunny in ${town} ${day}.`,
});
const box = await createSignalbox({ servers: [localServer({ name: 'sky', tools: [weather] })], builtin: false });

// This is the real SDK; only the service is scripted, so that the example needs no key. In strict mode, a model writes null for
// optional arguments that it omits.
const service = await scriptedOpenai([
  {
    calls: [
      ['mcp__sky__weather', '{"town":"Ulm","day":null}'],
      ['mcp__sky__weather', '{"town":'],
    ],
  },
  { text: 'It is sunny in Ulm.' },
]);
const client = new OpenAI({ apiKey: 'none', baseURL: service.url });

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'How is the weather in Ulm?' }];
let answer: string | null = null;
while (answer === null) {
  const { tools, call } = openaiTools(box, { api: 'chat', strict: true }); // in each round, because the catalog may have changed
  const { choices } = await client.chat.completions.create({ model: 'gpt-5', messages, tools });
  const message = choices[0]?.message;
  assert.ok(message);
  messages.push(message);
  const calls = message.tool_calls?.filter((each) => each.type === 'function') ?? [];
  if (calls.length === 0) answer = message.content;
  // Runs all calls concurrently, each through the whole pipeline. (`api: 'responses'` uses items of the Responses API.)
  else messages.push(...(await call(calls, { session: 'my-loop' })));
}

assert.equal(answer, 'It is sunny in Ulm.');
const [good, broken] = messages.filter(({ role }) => role === 'tool');
assert.equal(good?.content, 'Sunny in Ulm today.');
assert.match(JSON.stringify(broken?.content), /failed.*not valid JSON/);
assert.equal(service.requests[0]?.tools?.[0]?.function.strict, true);
await service.close();
await box.close();
console.log('The valid call ran; the one with broken JSON failed, and the model got the reason.');
