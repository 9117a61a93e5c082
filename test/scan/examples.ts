import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { flagSuspicious, flagText } from '../../src/catalog/scan/flag-suspicious.ts';

/** A poisoned text and its place in a definition. Written for this repository, after the attacks in DVMCP, MCPSecBench and mcp-scanner. */
export interface PoisonedExample {
  readonly kind: string;
  readonly where: 'description' | 'parameter' | 'title' | 'enum' | 'default' | 'instructions' | 'prompt';
  readonly text: string;
}

const files = { tuning: 'poisoned.json', 'held-out': 'held-out.json' } as const;

/** Returns the examples that the phrases were tuned with, or the held-out examples, which were never used to change the phrases. */
export function poisonedExamples(part: keyof typeof files): PoisonedExample[] {
  const rows = JSON.parse(readFileSync(join(import.meta.dirname, files[part]), 'utf8')) as [
    string,
    PoisonedExample['where'],
    string,
  ][];
  return rows.map(([kind, where, text]) => ({ kind, where, text }));
}

/** Returns the flags of a definition that contains the text of an example. */
export function flagsOfExample({ where, text }: PoisonedExample): string[] {
  if (where === 'instructions' || where === 'prompt') return flagText('it', [text]);
  return flagSuspicious({
    tool: 'lookup',
    ...(where === 'title' ? { title: text } : {}),
    description: where === 'description' ? text : 'Looks something up.',
    inputSchema: {
      type: 'object',
      properties: {
        value: {
          type: 'string',
          description: where === 'parameter' ? text : 'The value.',
          ...(where === 'enum' ? { enum: ['plain', text] } : {}),
          ...(where === 'default' ? { default: text } : {}),
        },
      },
    },
    annotations: {},
  });
}
