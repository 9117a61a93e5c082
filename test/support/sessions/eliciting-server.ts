import * as z from 'zod';
import { type LocalServer, defineTool, localServer } from '../../../src/index.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';

/** Creates a local server whose tools ask the user of the call, as external servers do. */
export function elicitingServer(): LocalServer {
  return localServer({
    name: 'asking',
    tools: [
      defineTool({
        name: 'form',
        description: 'Asks the user to fill in a form.',
        input: z.object({
          message: z.string().default('How do you take your tea?'),
          schema: z.record(z.string(), z.unknown()).optional(),
        }),
        effect: 'read',
        run: async ({ message, schema = teaSchema }, { client }) => {
          const requestedSchema = schema as JsonObject;
          return JSON.stringify(await client?.elicit?.({ mode: 'form', message, requestedSchema }));
        },
      }),
      defineTool({
        name: 'page',
        description: 'Asks the user to open a page.',
        input: z.object({ url: z.string() }),
        effect: 'read',
        run: async ({ url }, { client }) =>
          JSON.stringify(await client?.elicit?.({ mode: 'url', message: 'Sign in to the shop.', url })),
      }),
      defineTool({
        name: 'sample',
        description: 'Asks a model.',
        input: z.object({ text: z.string() }),
        effect: 'read',
        run: async ({ text }, { client }) => {
          const messages = [{ role: 'user', content: { type: 'text', text } }];
          return JSON.stringify(await client?.sample?.({ messages, maxTokens: 20, systemPrompt: 'Be brief.' }));
        },
      }),
    ],
  });
}

export const teaSchema: JsonObject = {
  type: 'object',
  properties: {
    sugar: { type: 'integer', title: 'Spoons of sugar', minimum: 0, default: 1 },
    milk: { type: 'boolean', title: 'Milk' },
    size: {
      type: 'string',
      title: 'Size',
      oneOf: [
        { const: 's', title: 'Small cup' },
        { const: 'l', title: 'Large mug' },
      ],
    },
    extras: {
      type: 'array',
      title: 'Extras',
      items: { type: 'string', enum: ['lemon', 'honey', 'ginger'] },
      default: ['honey'],
    },
    name: { type: 'string', title: 'Your name', description: 'It goes on the cup.' },
  },
  required: ['name'],
};
