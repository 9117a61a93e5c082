import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boxed } from '../../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { createMemoryProtocolVersionCache } from './protocol-version-cache.ts';

describe('protocol versions', () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    test(`connects with ${version} and runs a call`, async (t) => {
      const { box, server } = await boxed(t, {
        transport: fixtureProgram(version),
        protocolVersions: createMemoryProtocolVersionCache(),
      });
      const { protocolVersion, state, lastError } = server.health();
      assert.deepEqual([protocolVersion, state], [version, 'up'], lastError);
      const result = await box.call('mcp__fixture__echo', { text: version });
      assert.deepEqual(result.content, [{ type: 'text', text: version }]);
    });
  }
});
