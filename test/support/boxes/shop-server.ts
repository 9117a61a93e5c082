import type { TestContext } from 'node:test';
import * as z from 'zod';
import type { Signalbox } from '../../../src/signalbox/signalbox.ts';
import type { SignalboxOptions } from '../../../src/signalbox/signalbox-options.ts';
import { createSignalbox } from '../../../src/signalbox/create-signalbox.ts';
import { defineTool } from '../../../src/sources/local/define-tool.ts';
import { localServer } from '../../../src/sources/local/local-server.ts';

/** The smallest possible image. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const document = Buffer.from('%PDF-1.4').toString('base64');

const none = z.object({});

/** Tools with results of every kind that surfaces must convert. */
export const shopServer = (): ReturnType<typeof localServer> =>
  localServer({
    name: 'shop',
    tools: [
      defineTool({
        name: 'price',
        description: 'The price of something.',
        input: z.object({ item: z.string(), currency: z.enum(['EUR', 'USD']).optional() }),
        output: z.object({ price: z.number(), currency: z.string() }),
        effect: 'read',
        run: ({ item, currency = 'EUR' }) => ({ price: item.length, currency }),
      }),
      defineTool({
        name: 'photo',
        description: 'How it looks.',
        input: none,
        effect: 'read',
        run: () => [
          { type: 'text', text: 'Here it is:' },
          { type: 'image', mimeType: 'image/png', data: picture },
        ],
      }),
      defineTool({
        name: 'manual',
        description: 'How it works.',
        input: none,
        effect: 'read',
        run: () => [
          { type: 'resource', resource: { uri: 'shop://manual', mimeType: 'application/pdf', blob: document } },
          { type: 'resource', resource: { uri: 'shop://hint', mimeType: 'text/plain', text: 'Press the button.' } },
          { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
          { type: 'resource_link', uri: 'shop://more', name: 'more' },
        ],
      }),
      defineTool({
        name: 'broken',
        description: 'Out of order.',
        input: none,
        effect: 'read',
        run: () => {
          throw new Error('the till is stuck');
        },
      }),
      defineTool({
        name: 'order',
        description: 'Orders something.',
        input: z.object({ item: z.string() }),
        effect: 'irreversible',
        run: ({ item }) => `ordered ${item}`,
      }),
    ],
  });

/** Opens a box with only the shop, closed with the test. */
export async function openShopBox(test: TestContext, options: SignalboxOptions = {}): Promise<Signalbox> {
  const box = await createSignalbox({ servers: [shopServer()], builtin: false, ...options });
  test.after(() => box.close());
  return box;
}
