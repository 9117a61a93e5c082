import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { boxed } from '../../../test/mcp-servers/boxed.ts';
import { httpFixture } from '../../../test/mcp-servers/http-fixture.ts';
import { parameterHeaders, parameterHeadersProblem } from './parameter-headers.ts';

test('a marked argument is also sent as a header, and the server accepts the call', async (t) => {
  const fixture = await httpFixture('modern');
  t.after(() => fixture.close());
  const { box } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
  for (const region of ['eu-west', 'Köln ']) {
    const { outcome, content } = await box.call('mcp__fixture__routed', { region });
    assert.deepEqual([outcome, content], ['completed', [{ type: 'text', text: `routed to ${region}` }]]);
  }
  const sent = fixture.requests.map((headers) => headers.get('mcp-param-region')).filter((value) => value !== null);
  assert.deepEqual(sent, ['eu-west', `=?base64?${Buffer.from('Köln ').toString('base64')}?=`]);
  await box.call('mcp__fixture__routed', {});
  assert.equal(fixture.requests.at(-1)?.get('mcp-param-region'), null);
});

test('only unambiguous arguments with a text form become headers', () => {
  const nested = { type: 'object', properties: { id: { type: 'integer', 'x-mcp-header': 'Id' } } };
  const headers = parameterHeaders({
    properties: {
      a: { type: 'string', 'x-mcp-header': 'A' },
      bad: { type: 'string', 'x-mcp-header': 'not a token' },
      number: { type: 'number', 'x-mcp-header': 'N' },
      list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'L' } },
      nested,
    },
  });
  assert.deepEqual(headers?.({ a: 'x', bad: 'y', number: 1, list: ['z'], nested: { id: 7 } }), {
    'Mcp-Param-A': 'x',
    'Mcp-Param-Id': '7',
  });
  assert.deepEqual(headers?.({ a: null, nested: { id: 2 ** 60 } }), {});
  assert.equal(parameterHeaders({ properties: { a: { type: 'string' } } }), undefined);
});

test('an invalid header mark in a schema is reported with its argument and the reason', () => {
  const problemOf = (...marks: [type: string, name: unknown][]): string | undefined =>
    parameterHeadersProblem({
      properties: Object.fromEntries(
        marks.map(([type, name], at) => [`p${at}`, { type, 'x-mcp-header': name as string }]),
      ),
    });
  assert.equal(problemOf(['string', 'A'], ['integer', 'B'], ['boolean', 'C']), undefined);
  for (const name of ['', 'My Region', 'a:b', 'Région', 'a\t1', 7])
    assert.match(problemOf(['string', name]) ?? '', /^p0 is marked .* not a valid header name$/);
  for (const type of ['number', 'object', 'array', 'null'])
    assert.match(problemOf([type, 'A']) ?? '', /only strings, integers and booleans/);
  assert.match(
    problemOf(['string', 'Region'], ['string', 'region']) ?? '',
    /^p1 .* which another argument has as well$/,
  );
});

test('any value becomes a valid header from which it can be decoded', () => {
  const headers = parameterHeaders({ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('=?base64?aGk=?=')), (value) => {
      const sent = headers?.({ a: value })['Mcp-Param-A'] ?? '';
      assert.equal(new Headers({ a: sent }).get('a'), sent);
      const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(sent) ?? [];
      assert.equal(encoded === undefined ? sent : Buffer.from(encoded, 'base64').toString(), value.toWellFormed());
    }),
  );
});
