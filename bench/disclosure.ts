/**
 * Measures the size of tool definitions in model requests: all tools in every request, or three tools that search the others.
 * Counts the bytes of the JSON for the Messages API, with the tools of the reference servers and the labeled requests of the
 * tests.
 *
 *   npm run bench -- disclosure
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minSearchBytes } from '../src/catalog/profile.ts';
import { createSignalbox, mcpServer } from '../src/index.ts';
import { describeTool, searchTools } from '../src/sources/local/builtin/disclosure-tools.ts';
import { anthropicTools } from '../src/surfaces/providers/index.ts';
import { plainRequests, heldOutRequests } from '../test/catalog/plain-requests.ts';
import { referenceServer } from '../test/mcp-servers/programs.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const names = ['everything', 'filesystem', 'memory', 'sequential-thinking'] as const;
const servers = names.map((name) =>
  mcpServer({ name, transport: referenceServer(name, name === 'filesystem' ? [directory] : []) }),
);
const box = await createSignalbox({ servers, profiles: { found: { disclosure: 'always' } } });
try {
  await Promise.all(servers.map((server) => server.ready()));
  const tools = box.tools().filter(({ id }) => id.server !== 'signalbox');
  const listed = bytes(anthropicTools({ tools: () => tools, call: box.call }).tools) / tools.length;

  const fixed = bytes(anthropicTools({ tools: () => box.tools({ profile: 'found' }), call: box.call }).tools);

  const requests = [...plainRequests, ...heldOutRequests].map(([request]) => request);
  const searched = mean(requests.map((query) => bytes({ query }) + bytes(searchTools(tools, { query, limit: 5 }))));
  const described = mean(tools.map(({ name }) => bytes({ name }) + bytes(describeTool(tools, { name }))));
  const wrapped = mean(tools.map(({ name }) => bytes({ name, arguments: {} }) - 2));

  console.log(`\n${tools.length} tools of ${names.length} reference servers, in bytes of JSON\n`);
  console.log('| | bytes |\n|---|---|');
  console.log(`| one tool in a listing, mean | ${Math.round(listed)} |`);
  console.log(`| the three tools for searching | ${fixed} |`);
  console.log(`| one search with its five answers, mean | ${Math.round(searched)} |`);
  console.log(`| one description, mean | ${Math.round(described)} |`);
  console.log(`| the name of the tool in call_tool, mean | ${Math.round(wrapped)} |`);

  const use = searched + wrapped;
  console.log(
    '\nThe number of tools in the catalog above which searching costs less, by the number of different tools that a turn uses:\n',
  );
  console.log(
    '| different tools used | by the context at the end | by everything that is read, with 8 KB of other context | with 32 KB |',
  );
  console.log('|---|---|---|---|');
  for (const used of [1, 3, 5, 10]) {
    const inContext = (fixed + used * use) / listed;
    const read = (other: number): number => Math.ceil(readBreakEven(used, other, fixed, use) / listed);
    console.log(`| ${used} | ${Math.ceil(inContext)} | ${read(8192)} | ${read(32_768)} |`);
  }
  const threshold = readBreakEven(3, 32_768, fixed, use);
  console.log(
    `\n\`auto\` starts to search at a listing of ${minSearchBytes} bytes; measured now: ${Math.round(threshold)}`,
  );
} finally {
  await box.close();
  rmSync(directory, { recursive: true });
}

/**
 * Returns the size of a listing at which both variants read the same number of bytes in all requests of a turn. A listed tool
 * takes one request; a searched one takes two, and the search result stays in the context.
 */
function readBreakEven(used: number, other: number, fixed: number, use: number): number {
  let searching = 0;
  for (let request = 0; request <= 2 * used; request += 1) searching += other + fixed + Math.ceil(request / 2) * use;
  return searching / (used + 1) - other;
}

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
