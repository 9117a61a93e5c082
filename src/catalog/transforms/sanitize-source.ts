import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { flagSuspicious, flagText } from '../scan/flag-suspicious.ts';
import { sanitizeSchema, schemaTexts } from './sanitize-schema.ts';
import type { ContentListing } from '../source/source-content.ts';
import type { Source, SourceState, SourceTool } from '../source/source.ts';
import { sanitizeText } from './sanitize-text.ts';
import { transformServer } from './transform-server.ts';

/** Returns a source without hidden characters, with notices about suspicious tools. Sources inside this process and clean sources are returned unchanged. */
export function sanitizeSource(source: Source): Source {
  if (source.isClean === true || source.adapter.startsWith('local:')) return source;
  return { ...transformServer(sanitizeContent(source), sanitizeTool), isClean: true };
}

const maxNamed = 80;

/**
 * Removes hidden characters from instructions and from descriptions of resources and prompts. Names and URIs stay
 * unchanged, because requests use them.
 */
function sanitizeContent(source: Source): Source {
  const listings = new WeakMap<ContentListing, SanitizedListing>();
  let last: { readonly from: SourceState; readonly state: SourceState } | undefined;
  const state = (): SourceState => {
    const from = source.state();
    if (last?.from === from) return last.state;
    const { instructions, content } = from;
    const sanitized = content && getOrInsert(listings, content, sanitizeListing);
    const flags = instructions === undefined ? [] : flagText('its instructions', [instructions]);
    const clean = {
      ...from,
      ...omitUndefined({ instructions: instructions && sanitizeText(instructions), content: sanitized?.listing }),
      flags: [...flags, ...(sanitized?.flags ?? [])],
    };
    last = { from, state: clean };
    return clean;
  };
  return { ...source, state };
}

interface SanitizedListing {
  readonly listing: ContentListing;
  /** The signs of an attack in the original. */
  readonly flags: readonly string[];
}

function sanitizeListing(listing: ContentListing): SanitizedListing {
  const { resources, resourceTemplates, prompts } = listing;
  return {
    listing: {
      resources: resources.map(sanitizeDescription),
      resourceTemplates: resourceTemplates.map(sanitizeDescription),
      prompts: prompts.map(sanitizeDescription),
    },
    flags: flagContent(listing),
  };
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

function sanitizeDescription<Described extends JsonObject>(described: Described): Described {
  const { title, description, arguments: args } = described;
  return {
    ...described,
    ...(typeof title === 'string' ? { title: sanitizeText(title) } : {}),
    ...(typeof description === 'string' ? { description: sanitizeText(description) } : {}),
    ...(Array.isArray(args)
      ? {
          arguments: (args as readonly JsonValue[]).map((each) =>
            isJsonObject(each) ? sanitizeDescription(each) : each,
          ),
        }
      : {}),
  };
}

/** Removes hidden characters from a tool's definition, and adds notices about suspicious text. */
export function sanitizeTool(tool: SourceTool): SourceTool {
  const flags = flagSuspicious(tool);
  const { annotations, title, outputSchema, fields } = tool;
  return {
    ...tool,
    // A name that consists only of hidden characters stays, and the catalog makes it visible.
    tool: sanitizeText(tool.tool) || tool.tool,
    description: sanitizeText(tool.description),
    inputSchema: sanitizeSchema(tool.inputSchema),
    annotations:
      annotations.title === undefined ? annotations : { ...annotations, title: sanitizeText(annotations.title) },
    notices: [...tool.notices, ...flags],
    ...omitUndefined({
      title: title && sanitizeText(title),
      outputSchema: outputSchema && sanitizeSchema(outputSchema),
      fields: fields && (sanitizeStrings(fields) as JsonObject),
      flags: flags.length === 0 ? undefined : flags,
    }),
  };
}

/** Sanitizes unknown fields too: a client that knows them may show them to a model. */
function sanitizeStrings(value: JsonValue): JsonValue {
  if (typeof value === 'string') return sanitizeText(value);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sanitizeStrings(each)]));
  return Array.isArray(value) ? value.map(sanitizeStrings) : value;
}
