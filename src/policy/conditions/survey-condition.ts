import type { ASTNode } from '@marcbachmann/cel-js';
import { durationSyntax, parseDurationMs } from '../../core/text/duration.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { functions, macros, methods, operators, sessionMethods } from './vocabulary.ts';

/** A problem in a condition, with its place in the text. */
export interface ConditionProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

/** Static properties of a condition. */
export interface ConditionSurvey {
  readonly problems: readonly ConditionProblem[];
  readonly readsToolName: boolean;
  /** The patterns of tools in `session.last(…)`, `lastOk(…)` and `count(…)`. */
  readonly toolPatterns: readonly string[];
  /** The source text of the parts whose values explain the result. */
  readonly explainedParts: readonly string[];
  /** The names of arguments whose prefix is compared as text although they contain a command or a path. */
  readonly prefixComparedArguments: readonly string[];
  /** The arguments of each `session.count(pattern, window)`. */
  readonly windows: readonly { readonly pattern: string; readonly window: string }[];
}

const names = (words: readonly { readonly name: string }[]): ReadonlySet<string> =>
  new Set(words.map(({ name }) => name));
const functionNames = names(functions);
const macroNames = names(macros);
const sessionNames = names(sessionMethods);
const methodNames = new Set([...names(methods), ...macroNames, ...sessionNames]);
const operatorNames = names(operators);
const maxExplainedParts = 12;
/** The names of arguments that usually contain a shell command. */
export const commandArguments: ReadonlySet<string> = new Set([
  'command',
  'cmd',
  'commandLine',
  'command_line',
  'script',
]);
/** The names of arguments that usually contain a path, for the warning about comparing a prefix of it. */
const warnedPathArguments: ReadonlySet<string> = new Set([
  'path',
  'file',
  'file_path',
  'filePath',
  'filename',
  'fileName',
  'directory',
  'dir',
  'source',
  'destination',
]);

/** Walks the tree of a condition and collects everything that is not allowed, and what its evaluation and explanation need. */
export function surveyCondition(root: ASTNode): ConditionSurvey {
  const problems: ConditionProblem[] = [];
  const explained = new Set<string>();
  const windows: { pattern: string; window: string }[] = [];
  const tools = new Set<string>();
  const prefixed = new Set<string>();
  let readsToolName = false;

  const refuse = ({ start }: ASTNode, message: string, hint?: string): void => {
    problems.push({ offset: start, message, ...(hint === undefined ? {} : { hint }) });
  };
  const walk = (node: ASTNode, bound: ReadonlySet<string>, isInsideExplained = false): void => {
    const isExplained = isExplainedPart(node, bound);
    if (isExplained && !isInsideExplained) explained.add(node.input.slice(node.start, node.end));
    switch (node.op) {
      case 'value':
        if (typeof node.args === 'object' && node.args !== null)
          refuse(node, 'bytes and unsigned numbers cannot be used in a condition');
        return;
      case 'id':
        if (node.args === 'tool') readsToolName = true;
        if (node.args === 'cel' || node.args === 'google' || node.args === 'optional')
          refuse(node, `${node.args} cannot be used in a condition`);
        return;
      case '.':
        if (node.args[0].op === 'id' && node.args[0].args === 'tool' && node.args[1] !== 'name') return;
        return walk(node.args[0], bound, isExplained);
      case '[]':
        walk(node.args[0], bound, isExplained);
        return walk(node.args[1], bound);
      case 'call': {
        const [name, args] = node.args;
        if (!functionNames.has(name)) refuse(node, `there is no function "${name}"`, suggest(name, functionNames));
        return args.forEach((each) => walk(each, bound));
      }
      case 'rcall':
        return method(node, node.args, bound, isExplained);
      case 'list':
        return node.args.forEach((each) => walk(each, bound));
      case 'map':
        return node.args.forEach((entry) => entry.forEach((each) => walk(each, bound)));
      case '!_':
      case '-_':
        return walk(node.args, bound);
      case '.?':
      case '[?]':
        return refuse(node, `"${node.op}" cannot be used in a condition`);
      case '?:':
      case '||':
      case '&&':
      case '!=':
      case '==':
      case 'in':
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
      case '<':
      case '<=':
      case '>':
      case '>=':
        if (!operatorNames.has(node.op)) refuse(node, `"${node.op}" cannot be used in a condition`);
        for (const each of node.args) walk(each, bound);
    }
  };
  const method = (
    node: ASTNode,
    [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
    bound: ReadonlySet<string>,
    isInsideExplained: boolean,
  ): void => {
    walk(receiver, bound, isInsideExplained);
    const argument = name === 'startsWith' ? argumentOf(receiver) : undefined;
    if (argument !== undefined && (commandArguments.has(argument) || warnedPathArguments.has(argument)))
      prefixed.add(argument);
    if (macroNames.has(name)) {
      const [variable, ...rest] = args;
      const inner = new Set([...bound, ...(variable?.op === 'id' ? [variable.args] : [])]);
      return rest.forEach((each) => walk(each, inner));
    }
    if (name === 'matches')
      refuse(
        node,
        'regular expressions are not supported, because some take exponential time',
        `use like('*.txt'), where * matches any characters`,
      );
    else if (!methodNames.has(name)) refuse(node, `there is no method "${name}"`, suggest(name, methodNames));
    else if (sessionNames.has(name) && name !== 'hasRead') history(name, args);
    for (const each of args) walk(each, bound);
  };
  const history = (name: string, args: readonly ASTNode[]): void => {
    const [pattern, window] = args;
    for (const each of args)
      if (each.op !== 'value' || typeof each.args !== 'string')
        refuse(each, `the arguments of "${name}" must be string literals`);
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return;
    tools.add(pattern.args);
    if (window?.op !== 'value' || typeof window.args !== 'string') return;
    if (parseDurationMs(window.args) === undefined) refuse(window, `expected ${durationSyntax}`);
    else windows.push({ pattern: pattern.args, window: window.args });
  };

  walk(root, new Set());
  return {
    problems,
    readsToolName,
    toolPatterns: [...tools],
    explainedParts: [...explained].slice(0, maxExplainedParts),
    prefixComparedArguments: [...prefixed],
    windows,
  };
}

/** Returns NAME in `args.NAME`, `args['NAME']`, `args.NAME.trim()` and the like. */
function argumentOf(node: ASTNode): string | undefined {
  if (node.op === 'rcall' && node.args[2].length === 0) return argumentOf(node.args[1]);
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [target, key] = node.args;
  if (target.op !== 'id' || target.args !== 'args') return undefined;
  const name: unknown = typeof key === 'string' ? key : key.args;
  return typeof name === 'string' ? name : undefined;
}

/** Returns whether a node is a chain such as `args.amount` or `session.last('x').seq` that does not begin at a loop variable. */
function isExplainedPart(node: ASTNode, bound: ReadonlySet<string>): boolean {
  if (node.op === 'id') return false;
  let inner: ASTNode | undefined = node;
  while (inner !== undefined && inner.op !== 'id') {
    if (inner.op === '.') inner = inner.args[0];
    else if (inner.op === '[]') inner = inner.args[1].op === 'value' ? inner.args[0] : undefined;
    else if (inner.op === 'rcall' && sessionNames.has(inner.args[0])) inner = inner.args[1];
    else return false;
  }
  return inner?.op === 'id' && !bound.has(inner.args) && bound.size === 0;
}

function suggest(name: string, known: ReadonlySet<string>): string | undefined {
  const close = closestMatch(name, known);
  return close === undefined ? `expected one of ${[...known].join(', ')}` : `did you mean "${close}"?`;
}
