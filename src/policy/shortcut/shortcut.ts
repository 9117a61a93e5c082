import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import type { WindowMeters } from '../language.ts';
import { arithmetic } from './arithmetic.ts';
import { type Code, constant } from './code.ts';
import { equal, ordered } from './comparison.ts';
import { hasKey, isIn, jsonAccess, sizeOf } from './json-access.ts';
import { both, choice, either, not } from './logic.ts';
import { loop } from './loops.ts';
import { method } from './methods.ts';
import { fields, pastField, sessionMethod, variables } from './views-access.ts';

/**
 * Makes a function of a condition that was checked: where it gives a value, that is the one that CEL's evaluator would
 * give, many times faster; where it is `unsure`, or where there is none, CEL's evaluator is asked. It knows the usual
 * words with values of the usual types; everything that goes wrong is left to CEL's evaluator, so that errors are its own.
 */
export function shortcutOf(root: ASTNode, language: Environment, meters: WindowMeters): Code | undefined {
  return new ShortcutCompiler(language, meters).compile(root, undefined);
}

class ShortcutCompiler {
  readonly #language: Environment;
  readonly #meters: WindowMeters;

  constructor(language: Environment, meters: WindowMeters) {
    this.#language = language;
    this.#meters = meters;
  }

  /** Inside a loop, `bound` is the name of its variable; it hides others of that name. */
  compile(node: ASTNode, bound: string | undefined): Code | undefined {
    const compile = (inner: ASTNode): Code | undefined => this.compile(inner, bound);
    switch (node.op) {
      case 'value':
        return written(node.args);
      case 'id':
        return node.args === bound ? { type: 'json', run: ({ item }) => item } : variables.get(node.args);
      case '.': {
        const [target, name] = node.args;
        if (target.op === 'id' && target.args !== bound && target.args !== 'args')
          return fields.get(`${target.args}.${name}`);
        if (target.op === 'rcall' && this.#isSession(target.args[1], bound)) return pastField(target, name);
        const code = compile(target);
        return code && jsonAccess(code, name);
      }
      case '[]': {
        const [target, index] = node.args;
        const key: unknown = index.op === 'value' ? index.args : undefined;
        const code = compile(target);
        if (code === undefined || (typeof key !== 'string' && typeof key !== 'bigint')) return undefined;
        return jsonAccess(code, typeof key === 'string' ? key : Number(key));
      }
      case 'call':
        return this.#function(node, compile);
      case 'rcall': {
        const [name, receiver, args] = node.args;
        if (this.#isSession(receiver, bound)) return sessionMethod(name, args, compile, this.#meters);
        const target = compile(receiver);
        if (target === undefined) return undefined;
        if (name === 'size') return args.length === 0 ? sizeOf(target) : undefined;
        // There is one element at a time: a loop inside another is left to CEL's evaluator.
        const looped =
          bound === undefined
            ? loop(name, target, args, (inner, variable) => this.compile(inner, variable))
            : undefined;
        return looped ?? method(name, target, args, compile);
      }
      case '&&':
        return both(compile(node.args[0]), compile(node.args[1]));
      case '||':
        return either(compile(node.args[0]), compile(node.args[1]));
      case '!_': {
        const code = compile(node.args);
        return code && not(code);
      }
      case '?:': {
        const [condition, yes, no] = node.args.map(compile);
        return condition && yes && no && choice(condition, yes, no);
      }
      case 'in': {
        const value = compile(node.args[0]);
        return value && isIn(node.args[1], value, compile);
      }
      case '-_':
        return this.#fixed(node);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
      case '+':
      case '-':
      case '*':
      case '/': {
        const [left, right] = node.args.map(compile);
        return left && right && operation(node.op, left, right);
      }
      case '%':
      case 'list':
      case 'map':
      case '.?':
      case '[?]':
        return undefined;
    }
  }

  #isSession(node: ASTNode, bound: string | undefined): boolean {
    return node.op === 'id' && node.args === 'session' && bound !== 'session';
  }

  #function(node: Extract<ASTNode, { op: 'call' }>, compile: (inner: ASTNode) => Code | undefined): Code | undefined {
    const [name, args] = node.args;
    if (name === 'has') return hasKey(args, compile);
    if (name === 'timestamp' || name === 'duration') return this.#fixed(node);
    const [value] = args;
    const code = name === 'size' && value !== undefined ? compile(value) : undefined;
    return code && sizeOf(code);
  }

  /** Something of written values alone: CEL's evaluator says once what it is. */
  #fixed(node: ASTNode): Code | undefined {
    const inner = node.op === 'call' ? node.args[1] : [node.args as ASTNode];
    if (inner.some(({ op }) => op !== 'value')) return undefined;
    try {
      return written(this.#language.parse(node.input.slice(node.start, node.end))());
    } catch {
      return undefined;
    }
  }
}

type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/';

function operation(operator: Operator, left: Code, right: Code): Code | undefined {
  switch (operator) {
    case '==':
    case '!=':
      return equal(operator === '==', left, right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, left, right);
    case '+':
    case '-':
    case '*':
    case '/':
      return arithmetic(operator, left, right);
  }
}

function written(value: unknown): Code | undefined {
  switch (typeof value) {
    case 'string':
      return constant('string', value);
    case 'boolean':
      return constant('bool', value);
    case 'number':
      return constant('double', value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? constant('int', Number(value)) : undefined;
    case 'object':
      if (value === null) return constant('null', null);
      if (value instanceof Date) return constant('time', value.getTime());
      return value instanceof Duration ? constant('span', value.valueOf()) : undefined;
    case 'undefined':
    case 'function':
    case 'symbol':
      return undefined;
  }
}
