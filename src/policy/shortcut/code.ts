import type { ASTNode } from '@marcbachmann/cel-js';
import type { Scene } from '../scene.ts';

/** What a shortcut gives when it does not know the value, or when there is none. Never a value of a condition. */
export const unsure: unique symbol = Symbol('unsure');

/** Gives a value, or `unsure`. Throws nothing but a `WorkExceeded`, and changes nothing but the budget. */
export type Run = (scene: Scene) => unknown;

/**
 * What is known of a value before there is a call. Whole numbers are kept as JavaScript's while they are exact; times and
 * spans of time are milliseconds. `json` is anything that stands in arguments, `map` certainly an object in them.
 */
export type CodeType = 'bool' | 'string' | 'int' | 'double' | 'null' | 'time' | 'span' | 'strings' | 'map' | 'json';

/** A piece of a condition, as a function of what it looks at. */
export interface Code {
  readonly type: CodeType;
  readonly run: Run;
  /** Always gives the same. */
  readonly isConstant?: boolean;
}

/** Makes code of the pieces of a condition; nothing for a piece that only CEL's evaluator knows. */
export type Compile = (node: ASTNode) => Code | undefined;

/** Returns how many parts a piece of a condition has. */
export function countParts(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, each) => sum + countParts(each), 0);
  if (typeof node !== 'object' || node === null || !('op' in node && 'args' in node)) return 0;
  return 1 + countParts(node.args);
}

/** A value that is written out. */
export function constant(type: CodeType, value: unknown): Code {
  return { type, run: () => value, isConstant: true };
}

/** Its value, when it is a text that is written out. */
export function writtenText(node: ASTNode | undefined): string | undefined {
  return node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

/** Tells whether code can give one of these types; what stands in arguments can be anything. */
export function canBe({ type }: Code, ...types: readonly CodeType[]): boolean {
  return type === 'json' || types.includes(type);
}
