import { fileURLToPath } from 'node:url';
import type { McpTransport } from '../../src/index.ts';
import { bundledFixture } from './bundled-fixture.ts';

const manifests = {
  everything: import.meta.resolve('@modelcontextprotocol/server-everything/package.json'),
  filesystem: import.meta.resolve('@modelcontextprotocol/server-filesystem/package.json'),
  memory: import.meta.resolve('@modelcontextprotocol/server-memory/package.json'),
  'sequential-thinking': import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/package.json'),
};

/** Returns the transport to the fixture as a program. */
export function fixtureProgram(...args: readonly string[]): McpTransport & { type: 'stdio' } {
  return { type: 'stdio', command: process.execPath, args: [bundledFixture, ...args] };
}

/** The path of a server that sends fields which gateways tend to lose. It takes `legacy` or `modern`. */
export const transparentProgram = fileURLToPath(new URL('./transparent-program.ts', import.meta.url));

/** Returns the transport to a reference server. */
export function referenceServer(
  name: keyof typeof manifests,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): McpTransport & { type: 'stdio' } {
  const entry = fileURLToPath(new URL('dist/index.js', manifests[name]));
  return { type: 'stdio', command: process.execPath, args: [entry, ...args], env };
}
