import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { fixtureProgram } from '../mcp-servers/programs.ts';

const { command, args } = fixtureProgram();
const hostile = fileURLToPath(new URL('../mcp-servers/hostile-program.ts', import.meta.url));

/** A module with a tool that uses every kind of form field, and a configurable description. */
export const formsModule = (about: string): string => `
import { defineTool } from 'signalbox';
export const order = defineTool({
  name: 'order', description: ${JSON.stringify(about)}, effect: 'read', labels: ['shop'],
  input: {
    type: 'object',
    required: ['item', 'count'],
    properties: {
      item: { type: 'string', description: 'What to order.' },
      count: { type: 'integer', minimum: 1, description: 'How many of them.' },
      size: { enum: ['small', 'large'] },
      gift: { type: 'boolean' },
      note: { type: ['string', 'null'], description: 'Nothing, or a few words.' },
      tags: { type: 'array', items: { type: 'string' } },
      to: { type: 'object', properties: { street: { type: 'string' }, floor: { type: 'number' } }, required: ['street'] },
      by: { oneOf: [{ type: 'string', title: 'A date' }, { type: 'number', title: 'In days' }] },
    },
  } as const,
  run: (given) => JSON.stringify(given),
});
export const pay = defineTool({
  name: 'pay', description: 'Pays at once, for good.', effect: 'irreversible',
  input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const,
  run: ({ amount }) => 'paid ' + amount,
});
`;

/** The configured servers: an in-process shop and two programs. */
export const servers = {
  shop: { module: './shop.ts' },
  fixture: {
    command,
    args: [...(args ?? []), '--many', '1000'],
    workspace: ['./files'],
    tools: { deny: ['die'], effect: { act: 'undoable' } },
  },
  hostile: { command: process.execPath, args: [hostile] },
};

/** The configuration and module of these servers. */
export const servedTools: Readonly<Record<string, string>> = {
  'shop.ts': formsModule('Orders something.'),
  'signalbox.config.json': JSON.stringify({ mcpServers: servers }),
};

/** Returns whether text of a server ran as a script in the page. */
export function wasAttacked(page: Page): Promise<boolean> {
  return page.evaluate(() => (globalThis as { attacked?: boolean }).attacked === true);
}
