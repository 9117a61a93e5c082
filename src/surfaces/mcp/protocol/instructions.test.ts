import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begin, messageOf, send } from '../../../../test/mcp-clients/raw.ts';
import { serving } from '../../../../test/mcp-clients/serving.ts';
import { transportOf } from '../../../../test/mcp-servers/ways.ts';
import { mcpServer } from '../../../index.ts';
import { instructionsFor } from './instructions.ts';

describe('what models are told', () => {
  test('has what each server says of itself, under its name', async (t) => {
    const server = mcpServer({ name: 'fixture', transport: await transportOf(t, 'modern stdio') });
    const { url } = await serving(t, { servers: [server] });
    await server.ready();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const asked = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const { result } = await messageOf(send(url, asked));
    assert.match(
      String(result?.['instructions']),
      /approved\.\n\nThe server fixture says of its own tools:\nUse it in tests\.$/,
    );
    assert.ok((await begin(url))['Mcp-Session-Id'] !== '');
  });

  test('is bounded, whatever servers say and however many there are', () => {
    const text = 'x'.repeat(100_000);
    const servers = Array.from({ length: 500 }, (_, at) => ({ server: `s${at}`, text }));
    const told = instructionsFor([...servers, { server: 'short', text: 'Short.' }], 'full');
    assert.ok(told.length < 17_000);
    assert.match(told, /The server s0 says/);
    assert.match(told, /Short\.$/, 'what has room is told');
    assert.ok(instructionsFor([{ server: 'a', text: `${'x'.repeat(1999)}\u{1F600}` }], 'own').isWellFormed());
  });
});
