import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullNames, recordedTool } from '../../core/tools/tool-names.ts';
import { parsePolicyText } from './parse-policy-text.ts';
import { readPolicies } from './read-policies.ts';
import { type OfferedNames, findUnmatchedNames, warnAboutPrefixes } from './rule-warnings.ts';

const text = `
- { id: good, match: [mcp__files__read, "mcp__f*", "*"], servers: files, deny: true }
- { id: match, match: mcp__files__raed, deny: true }
- { id: glob, match: "mcp__flies__*", deny: true }
- { id: requires, requires: { mcp__files__write: [mcp__files__reed] } }
- { id: read, readBeforeWrite: { read: raed, write: mcp__files__writes } }
- { id: flow, flow: { from: [private], to: [extrenal] } }
- { id: rate, rateLimit: { match: mcp__bank__pay, per: 1m, max: 1 } }
- { id: scope, servers: file, deny: true }
`;
const { rules } = readPolicies([parsePolicyText(text, 'policies.yaml')]);
const offered: OfferedNames = {
  tools: ['mcp__files__read', 'mcp__files__write'].map((name) => recordedTool(name, {})),
  labels: ['private', 'external'],
  servers: ['files'],
  absent: [],
};
const unmatchedIn = (given: Partial<OfferedNames>): (string | undefined)[][] =>
  findUnmatchedNames(rules, { ...offered, ...given }).map(({ rule, key, name, what, nearest }) => [
    rule,
    key,
    name,
    what,
    nearest,
  ]);

test('findUnmatchedNames reports names that match no tool, label or server, with the closest one', () => {
  assert.deepEqual(unmatchedIn({}), [
    ['match', 'match', 'mcp__files__raed', 'tool', 'mcp__files__read'],
    ['glob', 'match', 'mcp__flies__*', 'tool', 'mcp__files__*'],
    ['requires', 'requires', 'mcp__files__reed', 'tool', 'mcp__files__read'],
    ['read', 'readBeforeWrite.read', 'raed', 'tool', 'mcp__files__read'],
    ['read', 'readBeforeWrite.write', 'mcp__files__writes', 'tool', 'mcp__files__write'],
    ['flow', 'flow.to', 'extrenal', 'label', 'external'],
    ['rate', 'match', 'mcp__bank__pay', 'tool', undefined],
    ['scope', 'servers', 'file', 'server', 'files'],
  ]);
});

test('findUnmatchedNames does not report names that an absent server might offer', () => {
  const names = unmatchedIn({ servers: ['files', 'bank', 'flies'], absent: ['bank', 'flies'] }).map(([rule]) => rule);
  assert.deepEqual(names, ['match', 'requires', 'read', 'scope']);
});

test('findUnmatchedNames accepts every name of a tool; an allow rule without servers needs a full name', () => {
  const long = `write_${'a_very_long_name_'.repeat(4)}`;
  const [name = ''] = fullNames({ server: 'files', tool: long });
  const tools = [recordedTool(name, { ownName: long }), recordedTool('mcp__files__new', { renamedFrom: 'old' })];
  const read = (lines: string): string[] => {
    const policy = readPolicies([parsePolicyText(lines, 'policies.yaml')]);
    return findUnmatchedNames(policy.rules, { ...offered, tools }).map(({ rule, key }) => `${rule} ${key}`);
  };
  const deny = (match: string): string => `- { id: r, match: "${match}", deny: true }`;
  for (const match of [...fullNames({ server: 'files', tool: long }), long, 'old', 'mcp__files__old', '*very_long*'])
    assert.deepEqual(read(deny(match)), [], match);
  assert.deepEqual(read(`- { id: r, match: ${long}, allow: true }`), ['r match']);
  assert.deepEqual(read(`- { id: r, match: ${long}, servers: files, allow: true }`), []);
  assert.deepEqual(read(`- { id: r, match: "*", deny: "session.count('mcp__files__nwe') > 1" }`), ['r deny']);
});

test('warnAboutPrefixes warns about startsWith on a command or a path, and on nothing else', () => {
  const conditions = [
    "args.command.startsWith('git ')",
    "args['path'].lowerAscii().startsWith('/etc')",
    "has(args.cmd) && !args.cmd.trim().startsWith('ls')",
    "args.title.startsWith('git ')",
    "args.path.endsWith('.txt')",
    "tool.name.startsWith('mcp__')",
    "shell(args.command).commands.all(c, c.name.startsWith('git'))",
    "args.list.exists(path, path.startsWith('/etc'))",
  ];
  const value = conditions.map((deny, index) => ({ id: String(index), deny }));
  const policies = readPolicies([{ value, file: 'policies.yaml', placeOf: () => ({ line: 7, column: 1 }) }]);
  assert.deepEqual(warnAboutPrefixes(policies.rules), [
    'rule "0" (policies.yaml:7) compares the beginning of args.command, which other commands can follow ("git x; curl …"); use shell(args.command).commands',
    `rule "1" (policies.yaml:7) compares the beginning of args.path, which ".." and links can leave; use path(args.path).within('/dir')`,
    'rule "2" (policies.yaml:7) compares the beginning of args.cmd, which other commands can follow ("git x; curl …"); use shell(args.cmd).commands',
  ]);
});
