import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ImportedPermission } from './plan-import.ts';
import { printRules, starterRules } from './starter-policy.ts';

function rulesOf(
  ...permissions: readonly (readonly [tool: string, answer: ImportedPermission['answer'], client?: string])[]
) {
  const all = permissions.map(([tool, answer, client = 'Codex']) => ({ tool, answer, client }));
  return starterRules([{ name: 'files', entry: {}, origins: [], notes: [], permissions: all }]);
}

suite('starterRules', () => {
  test('converts permissions of other clients to rules, for one tool or for all', () => {
    const rules = rulesOf(['read_file', 'allow'], ['write.file', 'ask'], ['*', 'allow', 'Gemini CLI']);
    assert.deepEqual(parse(printRules(rules)), [
      { id: 'imported-files-read-file', match: 'mcp__files__read_file', allow: 'true' },
      { id: 'imported-files-write-file', match: 'mcp__files__write_file', ask: 'true' },
      { id: 'imported-files-all', match: 'mcp__files__*', allow: 'true' },
    ]);
    assert.match(printRules(rules), /^# Gemini CLI runs it without asking\n- id: imported-files-all$/m);
  });

  test('uses the stricter permission when clients disagree, and names all clients when they agree', () => {
    const [rule, ...more] = rulesOf(['a', 'allow', 'Codex'], ['a', 'ask', 'Claude Code'], ['a', 'allow', 'Gemini CLI']);
    assert.deepEqual([rule?.answer, rule?.clients, more.length], ['ask', ['Claude Code'], 0]);
    assert.deepEqual(rulesOf(['a', 'allow', 'X'], ['a', 'allow', 'Y'], ['a', 'allow', 'X'])[0]?.clients, ['X', 'Y']);
  });

  test('creates no rule for forbidden tools, or for names that could match more tools here', () => {
    assert.deepEqual(
      rulesOf(['a', 'deny'], ['{a,b}', 'allow'], ['a b', 'allow'], ['[a-z]', 'allow'], ['?', 'allow']),
      [],
    );
  });

  test('creates no rule for tools that the client does not offer', () => {
    const permissions = ['read', 'query-docs', 'write', '*'].map((tool) => ({
      tool,
      answer: 'allow' as const,
      client: 'Codex',
    }));
    const entry = { tools: { allow: ['read', 'query-docs'], deny: ['query-*'] } };
    assert.deepEqual(
      starterRules([{ name: 'files', entry, origins: [], notes: [], permissions }]).map(({ match }) => match),
      ['mcp__files__read', 'mcp__files__*'],
    );
  });

  test('are printed as YAML of exactly these rules with unique ids, for arbitrary names', () => {
    const permission = fc.record({
      tool: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a.b', 'a-b', 'a_b', '*', 'a*', '-', '_')),
      answer: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
      client: fc.constant('Codex'),
    });
    fc.assert(
      fc.property(fc.array(permission), (permissions) => {
        const rules = starterRules([{ name: 'files', entry: {}, origins: [], notes: [], permissions }]);
        const read = (parse(printRules(rules)) ?? []) as { id: string; match: string }[];
        assert.deepEqual(
          read.map(({ id, match }) => ({ id, match })),
          rules.map(({ id, match }) => ({ id, match })),
        );
        assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});
