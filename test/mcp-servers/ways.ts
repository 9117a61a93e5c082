import type { TestContext } from 'node:test';
import type { McpTransport } from '../../src/index.ts';
import { httpFixture } from './http-fixture.ts';
import { fixtureProgram } from './programs.ts';

/** The revisions and transports over which the fixture is reached. */
export const ways = ['legacy stdio', 'modern stdio', 'legacy http', 'modern http'] as const;

/** The fixture on one of these ways, until the test ends. */
export async function transportOf(t: TestContext, way: (typeof ways)[number]): Promise<McpTransport> {
  const [era, kind] = way.split(' ') as ['legacy' | 'modern', 'stdio' | 'http'];
  if (kind === 'stdio') return fixtureProgram(era);
  const fixture = await httpFixture(era);
  t.after(() => fixture.close());
  return { type: 'http', url: fixture.url };
}
