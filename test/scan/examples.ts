import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/model/json.ts';

/** A poisoned text, and where a server put it. Written for this repository after the kinds of attacks in DVMCP, MCPSecBench and mcp-scanner. */
export interface PoisonedExample {
  readonly kind: string;
  readonly where: 'description' | 'parameter' | 'title' | 'enum' | 'default' | 'instructions' | 'prompt';
  readonly text: string;
}

/** Every second example was set aside before the phrases were written, and is not looked at to improve them. */
export function poisonedExamples(part: 'tuning' | 'held-out'): PoisonedExample[] {
  const rows = JSON.parse(readFileSync(join(import.meta.dirname, 'poisoned.json'), 'utf8')) as [
    string,
    PoisonedExample['where'],
    string,
  ][];
  return rows
    .filter((_, index) => (index % 2 === 0) === (part === 'tuning'))
    .map(([kind, where, text]) => ({ kind, where, text }));
}

/** Returns the definition of a tool with a poisoned text in it. */
export function poisonedTool({ where, text }: PoisonedExample): JsonObject & { name: string } {
  const plain = 'Looks something up.';
  const value = { type: 'string', description: 'The value.' };
  return {
    name: 'lookup',
    ...(where === 'title' ? { title: text } : {}),
    description: where === 'description' ? text : plain,
    inputSchema: {
      type: 'object',
      properties: {
        value: {
          ...value,
          ...(where === 'parameter' ? { description: text } : {}),
          ...(where === 'enum' ? { enum: ['plain', text] } : {}),
          ...(where === 'default' ? { default: text } : {}),
        },
      },
    },
  };
}
