import type { TestContext } from 'node:test';
import type { McpTransport } from '../../src/index.ts';
import { httpFixture } from './http-fixture.ts';
import { fixtureProgram } from './programs.ts';

/** The protocol revisions and transports of the fixture. */
export const fixtureLinks = ['legacy stdio', 'modern stdio', 'legacy http', 'modern http'] as const;

/** Returns the transport to the fixture over a link. The fixture is closed when the test ends. */
export async function transportOf(t: TestContext, link: (typeof fixtureLinks)[number]): Promise<McpTransport> {
  const [era, kind] = link.split(' ') as ['legacy' | 'modern', 'stdio' | 'http'];
  if (kind === 'stdio') return fixtureProgram(era);
  const fixture = await httpFixture(era);
  t.after(() => fixture.close());
  return { type: 'http', url: fixture.url };
}
