import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { flagText } from '../scan/flag-suspicious.ts';
import { schemaTexts } from '../schema/sanitize-schema.ts';
import type { ContentListing } from '../source/source-content.ts';
import type { Source, SourceState } from '../source/source.ts';
import { sanitizeText } from './sanitize-text.ts';
import { sanitized } from './sanitize-tool.ts';
import { transformSource } from './transform-source.ts';

/** Returns a source without hidden characters, with notices about suspicious tools. Sources inside this process and clean sources are returned unchanged. */
export function cleanSource(source: Source): Source {
  if (source.isClean === true || source.adapter.startsWith('local:')) return source;
  return { ...transformSource(sanitizeContent(source), sanitized()), isClean: true };
}

const maxNamed = 80;

/**
 * Removes hidden characters from instructions and from descriptions of resources and prompts. Names and URIs stay
 * unchanged, because requests use them.
 */
function sanitizeContent(source: Source): Source {
  let last: { readonly given: ContentListing; readonly clean: ContentListing } | undefined;
  const flagged = new WeakMap<ContentListing, readonly string[]>();
  const flagsOf = (listing: ContentListing): readonly string[] => {
    let flags = flagged.get(listing);
    if (flags === undefined) flagged.set(listing, (flags = flagContent(listing)));
    return flags;
  };
  const cleaned = (given: ContentListing): ContentListing => {
    if (last?.given !== given) {
      const { resources, resourceTemplates, prompts } = given;
      const clean = {
        resources: resources.map(readable),
        resourceTemplates: resourceTemplates.map(readable),
        prompts: prompts.map(readable),
      };
      last = { given, clean };
    }
    return last.clean;
  };
  let made: { readonly from: SourceState; readonly state: SourceState } | undefined;
  const state = (): SourceState => {
    const from = source.state();
    if (made?.from === from) return made.state;
    const { instructions, content } = from;
    const clean = {
      ...from,
      ...(instructions === undefined ? {} : { instructions: sanitizeText(instructions) }),
      ...(content === undefined ? {} : { content: cleaned(content) }),
      flags: [
        ...(instructions === undefined ? [] : flagText('its instructions', [instructions])),
        ...(content === undefined ? [] : flagsOf(content)),
      ],
    };
    made = { from, state: clean };
    return clean;
  };
  return { ...source, state };
}

/** Returns the signs of an attack in prompts and in descriptions of resources, which models read. */
function flagContent(listing: ContentListing): string[] {
  return Object.entries(listing).flatMap(([list, items]: [string, readonly JsonObject[]]) =>
    items.flatMap((item) => {
      const name = JSON.stringify(item['name'] ?? item['uri'] ?? item['uriTemplate'] ?? '').slice(0, maxNamed);
      return flagText(`its ${list.replace(/s$/, '')} ${name}`, [...schemaTexts(item)]);
    }),
  );
}

function readable<Described extends JsonObject>(described: Described): Described {
  const { title, description, arguments: args } = described;
  return {
    ...described,
    ...(typeof title === 'string' ? { title: sanitizeText(title) } : {}),
    ...(typeof description === 'string' ? { description: sanitizeText(description) } : {}),
    ...(Array.isArray(args)
      ? { arguments: (args as readonly JsonValue[]).map((each) => (isJsonObject(each) ? readable(each) : each)) }
      : {}),
  };
}
