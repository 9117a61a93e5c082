import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { httpFixture } from '../../../test/mcp-servers/http-fixture.ts';
import { type CachedProtocolVersion, mcpServer } from '../../index.ts';
import { protocolVersionFile } from './protocol-version-file.ts';

const legacy: CachedProtocolVersion = { kind: 'legacy', at: 1_800_000_000_000 };
const modern: CachedProtocolVersion = {
  kind: 'modern',
  discover: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
  at: Date.now(),
};

function createDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-versions-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('protocolVersionFile', () => {
  for (const era of ['legacy', 'modern'] as const) {
    test(`avoids probing a ${era} server in the second start`, async (t) => {
      const directory = createDirectory(t);
      const fixture = await httpFixture(era);
      t.after(() => fixture.close());
      const probes: number[] = [];
      for (let start = 0; start < 2; start += 1) {
        const before = fixture.requests.length;
        const transport = { type: 'http' as const, url: fixture.url };
        const server = mcpServer({ name: 'web', transport, protocolVersions: protocolVersionFile(directory) });
        await server.ready();
        assert.equal(server.health().state, 'up', server.health().lastError);
        await server.close();
        const methods = fixture.requests.slice(before).map((headers) => headers.get('mcp-method'));
        probes.push(methods.filter((method) => method === 'server/discover').length);
      }
      assert.deepEqual(probes, [1, 0]);
    });
  }

  test('stores versions with their dates in a private file, and removes them', (t) => {
    const directory = createDirectory(t);
    const versions = protocolVersionFile(directory);
    void versions.set('a', { ...legacy, at: Date.now() - 1000 });
    void versions.set('b', modern);
    const other = protocolVersionFile(directory);
    assert.deepEqual(other.get('b'), modern);
    void other.set('b', undefined);
    assert.equal(versions.get('b'), undefined);
    assert.equal((versions.get('a') as CachedProtocolVersion).kind, 'legacy');
    assert.equal(statSync(join(directory, 'protocol-versions.json')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(directory), ['protocol-versions.json']);
  });

  test('does not write the same version again', (t) => {
    const directory = createDirectory(t);
    const versions = protocolVersionFile(directory);
    void versions.set('b', modern);
    const { ino } = statSync(join(directory, 'protocol-versions.json'));
    void versions.set('b', { ...modern, at: modern.at + 1000 });
    assert.equal(statSync(join(directory, 'protocol-versions.json')).ino, ino);
    void versions.set('b', { ...legacy, at: modern.at + 1000 });
    assert.equal((versions.get('b') as CachedProtocolVersion).kind, 'legacy');
  });

  test('writes a guess that was made again after an hour with its new date', (t) => {
    const versions = protocolVersionFile(createDirectory(t));
    const guess: CachedProtocolVersion = { kind: 'legacy', at: Date.now() - 2 * 60 * 60 * 1000, isGuess: true };
    void versions.set('b', guess);
    void versions.set('b', { ...guess, at: Date.now() });
    assert.notEqual((versions.get('b') as CachedProtocolVersion).at, guess.at);
  });

  test('treats an invalid file as empty and replaces it, and ignores a file that cannot be written', (t) => {
    const directory = createDirectory(t);
    const file = join(directory, 'protocol-versions.json');
    const versions = protocolVersionFile(directory);
    for (const text of [
      '',
      '{"version":1,"verd',
      '[]',
      '{"version":2,"versions":{"b":1}}',
      '{"version":1,"versions":{"b":{"kind":"modern","at":1}}}',
    ]) {
      writeFileSync(file, text);
      assert.equal(versions.get('b'), undefined, text);
      void versions.set('b', modern);
      assert.deepEqual(versions.get('b'), modern, text);
    }
    const unwritable = protocolVersionFile(join(file, 'below-a-file'));
    void unwritable.set('b', modern);
    assert.equal(unwritable.get('b'), undefined);
    assert.match(readFileSync(file, 'utf8'), /"modern"/);
  });
});
