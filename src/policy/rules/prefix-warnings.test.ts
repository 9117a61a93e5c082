import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warnAboutPrefixes } from './prefix-warnings.ts';
import { readPolicies } from './read-policies.ts';

test('startsWith on a command or a path is warned about, and on nothing else', () => {
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
  const { rules } = readPolicies([{ value, file: 'policies.yaml', placeOf: () => ({ line: 7, column: 1 }) }]);
  assert.deepEqual(warnAboutPrefixes(rules), [
    'rule "0" (policies.yaml:7) compares the beginning of args.command, which other commands can follow ("git x; curl …"); use shell(args.command).commands',
    `rule "1" (policies.yaml:7) compares the beginning of args.path, which ".." and links can leave; use path(args.path).within('/dir')`,
    'rule "2" (policies.yaml:7) compares the beginning of args.cmd, which other commands can follow ("git x; curl …"); use shell(args.cmd).commands',
  ]);
});
