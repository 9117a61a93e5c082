import type { TestContext } from 'node:test';
import { type McpServer, type McpServerOptions, type Signalbox, createSignalbox, mcpServer } from '../../src/index.ts';

/** Creates a box with one MCP server that is up, closed when the test ends. Every approval is granted. */
export async function boxed(
  t: TestContext,
  options: Omit<McpServerOptions, 'name'>,
): Promise<{ box: Signalbox; server: McpServer }> {
  const server = mcpServer({ name: 'fixture', ...options });
  const box = await createSignalbox({ servers: [server], approve: () => ({ allow: true }) });
  t.after(() => box.close());
  await server.ready();
  return { box, server };
}

/** Waits until a condition is true. The default limit is long, because the machine may be busy. */
export async function until(isTrue: () => boolean | Promise<boolean>, what: string, withinMs = 60_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await isTrue());) {
    if (Date.now() > end) throw new Error(`not true within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
