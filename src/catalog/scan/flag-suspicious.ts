import { scanTexts } from './scan-text.ts';
import type { SourceTool } from '../source/source.ts';
import { schemaTexts } from '../schema/schema-text.ts';

type ToldTool = Pick<
  SourceTool,
  'tool' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations' | '_meta' | 'fields'
>;

const maxMentions = 5;
const maxLength = 400_000;

/** Returns what looks like an attack on the model that reads the definition of a tool. */
export function flagSuspicious(tool: ToldTool): string[] {
  return scanTexts([...textsOf(tool)]).map((flag) => `its definition ${flag}`);
}

/** Returns what looks like an attack in a text that a server gives to models, such as its instructions. */
export function flagText(what: string, texts: readonly string[]): string[] {
  return scanTexts(texts).map((flag) => `${what} ${flag}`);
}

/** Returns the words of a definition that could be names of tools: `send_email`, not `read`, which is a word as well. */
export function mentionedNames(tool: ToldTool): ReadonlySet<string> {
  const text = [...textsOf(tool)].slice(1).join('\n').slice(0, maxLength);
  const words = text.match(/[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu) ?? [];
  return new Set(words.map((word) => word.replace(/[.-]+$/, '')).filter(isTelling));
}

/** Returns the flag of a definition that names tools of other servers; none when it names none. */
export function flagMentions(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > maxMentions ? ` and ${names.length - maxMentions} more` : '';
  return [`its definition speaks of tools of other servers: ${names.slice(0, maxMentions).join(', ')}${more}`];
}

function* textsOf(tool: ToldTool): Generator<string> {
  yield tool.tool;
  yield tool.title ?? '';
  yield tool.annotations.title ?? '';
  yield tool.description;
  yield* schemaTexts(tool.inputSchema);
  yield* schemaTexts(tool.outputSchema);
  yield* schemaTexts(tool.fields);
  yield* schemaTexts(tool._meta);
}

function isTelling(name: string): boolean {
  return name.length > 4 && /[_\-.]|[a-z][A-Z]/.test(name);
}
