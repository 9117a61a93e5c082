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

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-verdicts-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('verdicts on disk', () => {
  for (const era of ['legacy', 'modern'] as const) {
    test(`the second start of a ${era} server does not probe it`, async (t) => {
      const directory = scratch(t);
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
        const asked = fixture.requests.slice(before).map((headers) => headers.get('mcp-method'));
        probes.push(asked.filter((method) => method === 'server/discover').length);
      }
      assert.deepEqual(probes, [1, 0]);
    });
  }

  test('are kept with their date, for their owner alone, and can be forgotten', (t) => {
    const directory = scratch(t);
    const verdicts = protocolVersionFile(directory);
    void verdicts.set('a', { ...legacy, at: Date.now() - 1000 });
    void verdicts.set('b', modern);
    const other = protocolVersionFile(directory);
    assert.deepEqual(other.get('b'), modern);
    void other.set('b', undefined);
    assert.equal(verdicts.get('b'), undefined);
    assert.equal((verdicts.get('a') as CachedProtocolVersion).kind, 'legacy');
    assert.equal(statSync(join(directory, 'verdicts.json')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(directory), ['verdicts.json']);
  });

  test('the same verdict again is not written', (t) => {
    const directory = scratch(t);
    const verdicts = protocolVersionFile(directory);
    void verdicts.set('b', modern);
    const { ino } = statSync(join(directory, 'verdicts.json'));
    void verdicts.set('b', { ...modern, at: modern.at + 1000 });
    assert.equal(statSync(join(directory, 'verdicts.json')).ino, ino);
    void verdicts.set('b', { ...legacy, at: modern.at + 1000 });
    assert.equal((verdicts.get('b') as CachedProtocolVersion).kind, 'legacy');
  });

  test('a guess that was made again after its hour is written with its new date', (t) => {
    const verdicts = protocolVersionFile(scratch(t));
    const guess: CachedProtocolVersion = { kind: 'legacy', at: Date.now() - 2 * 60 * 60 * 1000, isGuess: true };
    void verdicts.set('b', guess);
    void verdicts.set('b', { ...guess, at: Date.now() });
    assert.notEqual((verdicts.get('b') as CachedProtocolVersion).at, guess.at);
  });

  test('a file that is broken counts as empty and is written anew; one that cannot be written does no harm', (t) => {
    const directory = scratch(t);
    const file = join(directory, 'verdicts.json');
    const verdicts = protocolVersionFile(directory);
    for (const text of [
      '',
      '{"version":1,"verd',
      '[]',
      '{"version":2,"verdicts":{"b":1}}',
      '{"version":1,"verdicts":{"b":{"kind":"modern","at":1}}}',
    ]) {
      writeFileSync(file, text);
      assert.equal(verdicts.get('b'), undefined, text);
      void verdicts.set('b', modern);
      assert.deepEqual(verdicts.get('b'), modern, text);
    }
    const nowhere = protocolVersionFile(join(file, 'below-a-file'));
    void nowhere.set('b', modern);
    assert.equal(nowhere.get('b'), undefined);
    assert.match(readFileSync(file, 'utf8'), /"modern"/);
  });
});
