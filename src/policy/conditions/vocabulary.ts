/** One element of the condition language, with a tested example. */
export interface LanguageElement {
  readonly name: string;
  readonly example: string;
}

/** The variables of conditions. */
export const variables: readonly LanguageElement[] = [
  { name: 'call', example: "call.id == 'call_2' && call.time == now" },
  { name: 'args', example: 'args.amount > 100' },
  { name: 'tool', example: "tool.name == 'mcp__bank__pay' && tool.server == 'bank' && tool.effect == 'irreversible'" },
  { name: 'principal', example: "principal.id == 'local' && principal.kind == 'agent'" },
  { name: 'session', example: "session.id == 's1' && 'private' in session.labels && session.cost == 0.5" },
  { name: 'now', example: "now == timestamp('2026-11-15T12:34:56Z')" },
];

/** The methods of `session`. */
export const sessionMethods: readonly LanguageElement[] = [
  { name: 'last', example: "session.last('mcp__files__*').seq == 7 && session.last('never').seq == 0" },
  { name: 'lastOk', example: "session.lastOk('mcp__files__read').args.path == '/a.txt'" },
  { name: 'count', example: "session.count('mcp__files__*') == 1 && session.count('mcp__files__*', '1h') == 1" },
  { name: 'hasRead', example: "session.hasRead('/a.txt') && !session.hasRead(args.path)" },
];

/** Functions: `name(value)`. */
export const functions: readonly LanguageElement[] = [
  { name: 'has', example: 'has(args.amount) && !has(args.missing)' },
  { name: 'size', example: "size(args.items) == 2 && size('abc') == 3" },
  { name: 'int', example: "int(args.amount) == 120 && int('7') == 7" },
  { name: 'double', example: "double('1.5') == 1.5" },
  { name: 'string', example: "string(args.amount) == '120'" },
  { name: 'type', example: 'type(args.amount) == double' },
  { name: 'timestamp', example: "timestamp('2026-11-15T12:34:55Z') == session.last('mcp__files__read').at" },
  { name: 'path', example: "path(args.path).within('/') && !path(args.path).within('/etc')" },
  {
    name: 'shell',
    example: "shell(args.command).commands.all(c, c.name == 'git' && c.words.size() == 2 && c.isLiteral)",
  },
  { name: 'duration', example: "now - session.last('mcp__files__read').at == duration('1s')" },
];

/** Methods: `value.name(…)`. */
export const methods: readonly LanguageElement[] = [
  { name: 'startsWith', example: "args.path.startsWith('/b')" },
  { name: 'endsWith', example: "args.path.endsWith('.txt')" },
  { name: 'contains', example: "args.path.contains('b.t')" },
  { name: 'like', example: "args.path.like('/*.txt') && !args.path.like('*.md')" },
  { name: 'lowerAscii', example: "'ABC'.lowerAscii() == 'abc'" },
  { name: 'upperAscii', example: "'abc'.upperAscii() == 'ABC'" },
  { name: 'trim', example: "' a '.trim() == 'a'" },
  { name: 'within', example: "path('/a//b/../c.txt').within('/a')" },
  { name: 'split', example: "args.path.split('/')[1] == 'b.txt'" },
  { name: 'size', example: 'args.items.size() == 2' },
  { name: 'getFullYear', example: 'now.getFullYear() == 2026' },
  { name: 'getMonth', example: 'now.getMonth() == 10' },
  { name: 'getDayOfMonth', example: 'now.getDayOfMonth() == 14' },
  { name: 'getDayOfWeek', example: 'now.getDayOfWeek() == 0' },
  { name: 'getHours', example: "now.getHours() == 12 && now.getHours('Europe/Berlin') == 13" },
  { name: 'getMinutes', example: 'now.getMinutes() == 34' },
];

/** Methods that iterate over a list. */
export const macros: readonly LanguageElement[] = [
  { name: 'all', example: 'args.items.all(item, item.price > 0)' },
  { name: 'exists', example: 'args.items.exists(item, item.price == 2)' },
  { name: 'exists_one', example: 'args.items.exists_one(item, item.price == 2)' },
  { name: 'filter', example: 'args.items.filter(item, item.price > 1).size() == 1' },
  { name: 'map', example: '3 in args.items.map(item, item.price + 1)' },
];

/** Operators and literals. */
export const operators: readonly LanguageElement[] = [
  { name: '&&', example: 'true && args.amount == 120' },
  { name: '||', example: 'false || args.amount == 120' },
  { name: '!_', example: '!(args.amount == 1)' },
  { name: '?:', example: "args.amount > 100 ? true : 'x' == 'y'" },
  { name: '==', example: 'args.amount == 120' },
  { name: '!=', example: 'args.amount != 121' },
  { name: '<', example: 'args.amount < 121' },
  { name: '<=', example: 'args.amount <= 120' },
  { name: '>', example: 'args.amount > 119.5' },
  { name: '>=', example: 'args.amount >= 120' },
  { name: 'in', example: "args.currency in ['EUR', 'USD'] && 'amount' in args" },
  { name: '+', example: 'args.amount + 1 == 121.0' },
  { name: '-', example: 'args.amount - 20 == 100.0' },
  { name: '*', example: 'args.amount * 2 == 240.0' },
  { name: '/', example: 'args.amount / 2 == 60.0' },
  { name: '%', example: '7 % 2 == 1' },
  { name: '-_', example: '-args.amount == -120.0' },
  { name: '.', example: 'args.amount == 120' },
  { name: '[]', example: "args.items[0].price == 1 && args['amount'] == 120" },
  { name: 'list', example: '[1, 2][0] == 1' },
  { name: 'map', example: "{'EUR': 100, 'USD': 110}[args.currency] == 100" },
  { name: 'value', example: "1 < 2 && 1.5 < 2.0 && 'a' != 'b' && args.nothing == null" },
  { name: 'id', example: 'args.amount == 120' },
];
