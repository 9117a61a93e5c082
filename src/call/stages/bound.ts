import type { Redactor } from '../../journal/redaction.ts';
import type { Store } from '../../journal/store.ts';
import type { CallOutcome } from '../../model/call.ts';
import { type ContentBlock, renderContent, text } from '../../model/content.ts';
import { messageOf } from '../../model/errors.ts';
import { inspectJson } from '../../model/json.ts';
import { resultUri } from '../../model/result-uri.ts';
import { after } from '../after.ts';
import type { Call, Stage } from '../call.ts';

const previewSize = 2000;
/** Pictures and sounds cost a model by what they show, not by their bytes; models take single ones of up to 5 MB. */
const largestMedia = 5 * 1024 * 1024;

/** Keeps an oversized result in the store and hands on a preview with a link to the whole: nothing is lost, no context is flooded. */
export function bound(store: Store, redactor: Redactor, maxBytes: number): Stage {
  return (call, next) => after(next(call), (outcome) => (fits(outcome, maxBytes) ? outcome : shortened(call, outcome)));

  async function shortened(call: Call, outcome: CallOutcome): Promise<CallOutcome> {
    const { kept, mimeType } = whole(outcome);
    // Known secrets never reach the disk; otherwise the result stays as it is.
    const safe = redactor.values(kept);
    let content: ContentBlock[];
    try {
      await store.keepResult({ id: call.id, owner: call.principal.id, mimeType, text: safe });
      content = preview(call, safe, mimeType, outcome.content);
    } catch (error) {
      content = unkept(call, safe, outcome.content, error);
    }
    if (outcome.outcome === 'completed') return { outcome: 'completed', content };
    return { ...outcome, content };
  }
}

function fits({ content, structuredContent }: CallOutcome, maxBytes: number): boolean {
  let size = 0;
  for (const block of content) {
    if (block.type !== 'image' && block.type !== 'audio') size += sizeOf(block, maxBytes);
    else if (block.data.length > (largestMedia * 4) / 3) return false;
  }
  if (structuredContent !== undefined) {
    const inspection = inspectJson(structuredContent, maxBytes);
    size += inspection.ok ? inspection.size : maxBytes + 1;
  }
  return size <= maxBytes;
}

function sizeOf(block: ContentBlock, maxBytes: number): number {
  if (block.type === 'text')
    return block.text.length * 3 <= maxBytes ? block.text.length : Buffer.byteLength(block.text);
  return JSON.stringify(block).length;
}

function whole({ content, structuredContent }: CallOutcome): { kept: string; mimeType: string } {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') {
    return { kept: only.text, mimeType: structuredContent === undefined ? 'text/plain' : 'application/json' };
  }
  return { kept: JSON.stringify({ content, structuredContent }), mimeType: 'application/json' };
}

function preview(call: Call, kept: string, mimeType: string, content: readonly ContentBlock[]): ContentBlock[] {
  const uri = resultUri(call.id);
  const { shown, what, offset } = beginningOf(kept, content);
  const note =
    `[The result has ${kept.length} characters; ${what}. The whole is kept as ${uri}: ` +
    `read on with the tool read_result {"uri": "${uri}", "offset": ${offset}}.]`;
  return [
    text(shown),
    text(note),
    { type: 'resource_link', uri, name: `Result of ${call.name}`, mimeType, size: Buffer.byteLength(kept) },
  ];
}

/** The call ended as it did, also when its result finds no room: whoever took it for failed might run it again. */
function unkept(call: Call, kept: string, content: readonly ContentBlock[], error: unknown): ContentBlock[] {
  const { shown, what } = beginningOf(kept, content);
  const note =
    `[The result has ${kept.length} characters; ${what}. The rest could not be kept: ${messageOf(error)}. ` +
    `${call.name} has run; calling it again would run it again.]`;
  return [text(shown), text(note)];
}

function beginningOf(
  kept: string,
  content: readonly ContentBlock[],
): { readonly shown: string; readonly what: string; readonly offset: number } {
  // Nobody can read the beginning of a picture: what the result holds is named instead.
  const hasMedia = content.some(({ type }) => type === 'image' || type === 'audio');
  const beginning = hasMedia ? renderContent(content, previewSize) : kept;
  const shown = beginning.slice(0, previewSize).replace(/[\uD800-\uDBFF]$/, '');
  if (hasMedia) return { shown, what: 'this is what it holds', offset: 0 };
  return { shown, what: `these are the first ${shown.length}`, offset: shown.length };
}
