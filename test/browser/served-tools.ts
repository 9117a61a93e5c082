import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { fixtureProgram } from '../mcp-servers/programs.ts';

const { command, args } = fixtureProgram();
const hostileProgram = fileURLToPath(new URL('../mcp-servers/hostile-program.ts', import.meta.url));

/** A module with a tool that uses every kind of form field, and a configurable description. */
export const formsModule = (description: string): string => `
import { defineTool } from 'signalbox';
export const order = defineTool({
  name: 'order', description: ${JSON.stringify(description)}, effect: 'read', labels: ['shop'],
  input: {
    type: 'object',
    required: ['item', 'count'],
    properties: {
      item: { type: 'string', description: 'The item to order.' },
      count: { type: 'integer', minimum: 1, description: 'The number of items.' },
      size: { enum: ['small', 'large'] },
      gift: { type: 'boolean' },
      note: { type: ['string', 'null'], description: 'An optional remark.' },
      tags: { type: 'array', items: { type: 'string' } },
      to: { type: 'object', properties: { street: { type: 'string' }, floor: { type: 'number' } }, required: ['street'] },
      by: { oneOf: [{ type: 'string', title: 'Date' }, { type: 'number', title: 'In days' }] },
    },
  } as const,
  run: (args) => JSON.stringify(args),
});
export const pay = defineTool({
  name: 'pay', description: 'Pays immediately; cannot be undone.', effect: 'irreversible',
  input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const,
  run: ({ amount }) => 'paid ' + amount,
});
`;

/** Configuration entries of an in-process shop and two programs. */
export const servers = {
  shop: { module: './shop.ts' },
  fixture: {
    command,
    args: [...(args ?? []), '--many', '1000'],
    workspace: ['./files'],
    tools: { deny: ['die'], effect: { act: 'undoable' } },
  },
  hostile: { command: process.execPath, args: [hostileProgram] },
};

/** The files of a project with these servers. */
export const servedTools: Readonly<Record<string, string>> = {
  'shop.ts': formsModule('Orders something.'),
  'signalbox.config.json': JSON.stringify({ mcpServers: servers }),
};

/** Returns whether text from a server ran as a script in the page. */
export function wasAttacked(page: Page): Promise<boolean> {
  return page.evaluate(() => (globalThis as { attacked?: boolean }).attacked === true);
}
