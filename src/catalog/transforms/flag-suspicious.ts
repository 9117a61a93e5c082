import type { SourceTool } from '../source.ts';
import { hiddenCharacters, sanitizeText } from './sanitize-text.ts';
import { schemaTexts } from './schema-text.ts';

const longestDescription = 4 * 1024;
const mostText = 200_000;
const mostShown = 5;

/** What no honest description needs to say. Read in lower case, with single spaces. */
const phrases: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:previous|prior|earlier|above|preceding|existing|other|all|any|system|your)\b[^.]{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|directives?)\b/,
    'tells the model to ignore its instructions',
  ],
  [/<\/?(?:important|system|instructions?|secret|hidden|critical)>/, 'addresses the model with a tag of its own'],
  [
    /\b(?:do not|don['’]t|never|must not|should not|shouldn['’]t|without|avoid)\b[^.]{0,30}\b(?:tell|mention|inform|reveal|show|notify|alert|disclos|warn|ask)\w*\b[^.]{0,40}\b(?:users?|humans?|operators?|persons?|people|anyone|anybody)\b/,
    'asks to keep something from the user',
  ],
  [
    /\b(?:hide|conceal|keep|withhold)\b[^.]{0,40}\bfrom (?:the |your |any )?(?:users?|humans?|operators?)\b/,
    'asks to keep something from the user',
  ],
  [
    /(?:\.ssh\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\/|(?<!\w)\.env\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.kube\/config|\.docker\/config|\.gnupg\b|\/etc\/(?:passwd|shadow)\b|\.cursor\/mcp\.json|claude_desktop_config)/,
    'names a file that holds credentials',
  ],
  [/\bmcp__\w/, 'speaks of tools of other servers'],
  [
    /\b(?:before|instead of|after|when(?:ever)?) (?:using|calling|invoking|running) (?:any|every|all|each)(?: of the)?(?: other)? tools?\b/,
    'tells how other tools are to be used',
  ],
];

type ToldTool = Pick<SourceTool, 'tool' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>;

/** What looks like an attack on the model that reads a tool's definition. `others` are names of tools of other servers. */
export function flagSuspicious(tool: ToldTool, others: Iterable<string> = []): string[] {
  const texts = [...textsOf(tool)];
  const flags = new Set<string>();
  const hidden = new Set(texts.flatMap(hiddenCharacters));
  if (hidden.size > 0) flags.add(`its definition holds hidden characters (${shown(hidden)})`);
  const plain = sanitizeText(texts.join('\n').slice(0, mostText)).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
  for (const [pattern, meaning] of phrases) {
    const found = pattern.exec(plain)?.[0];
    if (found !== undefined) flags.add(`its definition ${meaning}: ${JSON.stringify(found)}`);
  }
  const bytes = Buffer.byteLength(tool.description);
  if (bytes > longestDescription) flags.add(`its description is ${Math.ceil(bytes / 1024)} KB long`);
  const mentioned = [...others].filter((name) => isTelling(name) && speaksOf(plain, name.toLowerCase()));
  if (mentioned.length > 0) flags.add(`its definition speaks of tools of other servers: ${shown(mentioned)}`);
  return [...flags];
}

function* textsOf(tool: ToldTool): Generator<string> {
  yield tool.tool;
  yield tool.title ?? '';
  yield tool.annotations.title ?? '';
  yield tool.description;
  yield* schemaTexts(tool.inputSchema);
  yield* schemaTexts(tool.outputSchema);
}

/** A name like `read` is a word as well. */
function isTelling(name: string): boolean {
  return name.length > 4 && /[_\-.]|[a-z][A-Z]/.test(name);
}

function speaksOf(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = text.charAt(at - 1) + text.charAt(at + name.length);
    if (!/\w/.test(around)) return true;
  }
  return false;
}

function shown(values: Iterable<string>): string {
  const all = [...values];
  const more = all.length > mostShown ? ` and ${all.length - mostShown} more` : '';
  return all.slice(0, mostShown).join(', ') + more;
}
