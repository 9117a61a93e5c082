import type { Catalog } from '../../catalog/catalog.ts';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Store } from '../../journal/store/store.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import { type ContentBlock, text } from '../../core/tools/content.ts';
import { messageOf } from '../../core/errors.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { JsonObject, JsonSchema } from '../../core/json/json.ts';
import { resultUri } from '../../core/calls/result-uri.ts';
import { type Stage, after } from '../stage.ts';
import type { AdmittedCall } from '../call-lifecycle.ts';
import { type ResultSize, type SizeLimits, isSurelySmall, measureResult } from '../results/result-size.ts';
import { type ShorteningOptions, shortenResult } from '../results/shorten-result.ts';

/** The key in `_meta` of a shortened result that holds the address of the whole result. */
const wholeResultKey = 'signalbox/result';

/** Dependencies and limits of the stage. */
export interface BoundOptions {
  readonly store: Store;
  readonly redactor: Redactor;
  readonly catalog: Catalog;
  /** The name of the built-in server, whose `read_result` reads stored results; absent where there is none. */
  readonly builtin: string | undefined;
  /** The limits of tools and servers that have none of their own. */
  readonly results: SizeLimits;
}

interface Stored {
  readonly uri: string;
  readonly text: string;
  readonly mimeType: string;
}

/**
 * Stores results that exceed their limit in full, and returns them shortened. Structured content still matches the output
 * schema of its tool. A result that cannot be shortened within its schema passes unchanged.
 */
export function bound(options: BoundOptions): Stage<AdmittedCall> {
  const { store, redactor, results } = options;
  return (call, next) =>
    after(next(call), (outcome) => {
      const limits = limitsFor(call.tool, results);
      if (isSurelySmall(outcome, limits)) return outcome;
      const size = measureResult(outcome, limits);
      const isSmall = size.textBytes + size.structuredBytes <= limits.maxBytes && size.tooLarge.size === 0;
      return isSmall ? outcome : shorten(call, outcome, size, limits);
    });

  async function shorten(
    call: AdmittedCall,
    outcome: CallOutcome,
    size: ResultSize,
    limits: SizeLimits,
  ): Promise<CallOutcome> {
    const uri = resultUri(call.id);
    const reader = readerOf(call, options);
    const pointer = reader === undefined ? `the whole is stored as ${uri}` : `${reader} {"uri": "${uri}"}`;
    const isValid = validatorOf(call.tool.definition.outputSchema, outcome);
    const short = shortenResult(outcome, size, { ...limits, pointer, isValid });
    if (short === undefined) return outcome;
    const { mimeType, ...whole } = wholeOf(outcome, size);
    // The stored result is unchanged except for registered secrets, which never reach the disk.
    const stored: Stored = { uri, mimeType, text: redactor.values(whole.text) };
    const { shown, ...shortened } = short;
    let note: string;
    let link: ContentBlock[] = [];
    let _meta = outcome._meta;
    try {
      await store.storeResult({ id: call.id, owner: call.principal.id, mimeType, text: stored.text });
      note = whereToRead(stored, reader, shown);
      link = [linkTo(call, stored)];
      _meta = { ..._meta, [wholeResultKey]: addressOf(stored) };
    } catch (error) {
      note = notStored(call, stored, shown, error);
    }
    const content = [...shortened.content, text(note), ...link];
    return { ...outcome, ...shortened, content, ...omitUndefined({ _meta }) };
  }
}

function limitsFor({ offered, source }: CatalogTool, { maxBytes, maxMediaBytes }: SizeLimits): SizeLimits {
  const [own, servers] = [offered.results, source.limits.results];
  return {
    maxBytes: own?.maxBytes ?? servers?.maxBytes ?? maxBytes,
    maxMediaBytes: own?.maxMediaBytes ?? servers?.maxMediaBytes ?? maxMediaBytes,
  };
}

/** Returns the name under which the caller can call `read_result`, if it can. */
function readerOf({ options }: AdmittedCall, { catalog, builtin }: BoundOptions): string | undefined {
  const { profile, nameOf } = options;
  const listed = catalog.view(profile).tools.find(({ id }) => id.server === builtin && id.tool === 'read_result');
  return listed === undefined ? undefined : (nameOf?.(listed.id) ?? listed.name);
}

/** Checks values against the schema that clients were shown. With a schema that does not compile, only the whole result passes. */
function validatorOf(schema: JsonSchema | undefined, outcome: CallOutcome): ShorteningOptions['isValid'] {
  // Clients do not validate the result of a failed call.
  if (schema === undefined || outcome.outcome !== 'completed') return () => true;
  const { structuredContent } = outcome;
  if (structuredContent === undefined) return () => true;
  const compiled = new SchemaCompiler().compile(schema);
  return compiled.ok ? compiled.fitsInTime : (value) => value === structuredContent;
}

/** A result that is one text is stored as that text, so that `read_result` can page through it; any other is stored as JSON. */
function wholeOf(outcome: CallOutcome, { mirrors }: ResultSize): Pick<Stored, 'text' | 'mimeType'> {
  const { content, structuredContent, _meta, fields } = outcome;
  const [only] = content;
  const mirror = only === undefined ? undefined : mirrors.get(only);
  if (content.length === 1 && only?.type === 'text' && (structuredContent === undefined || mirror !== undefined))
    return { text: only.text, mimeType: mirror === 'json' ? 'application/json' : 'text/plain' };
  return { text: JSON.stringify({ ...fields, content, structuredContent, _meta }), mimeType: 'application/json' };
}

function addressOf({ uri, mimeType, text: whole }: Stored): JsonObject {
  return { uri, mimeType, characters: whole.length, bytes: Buffer.byteLength(whole) };
}

function linkTo(call: AdmittedCall, { uri, mimeType, text: whole }: Stored): ContentBlock {
  return { type: 'resource_link', uri, name: `Result of ${call.name}`, mimeType, size: Buffer.byteLength(whole) };
}

function whereToRead({ uri, text: whole }: Stored, reader: string | undefined, shown: number | undefined): string {
  const what = `[This result was shortened: it has ${whole.length} characters${extent(shown)}. `;
  if (reader === undefined) return `${what}The whole is stored as ${uri}.]`;
  return `${what}Read on with the tool ${reader} {"uri": "${uri}", "offset": ${shown ?? 0}}.]`;
}

/** Explains that the rest could not be stored. The call is still reported as completed: a caller that sees a failure might run it again. */
function notStored(call: AdmittedCall, { text: whole }: Stored, shown: number | undefined, error: unknown): string {
  return (
    `[This result was shortened: it has ${whole.length} characters${extent(shown)}. The rest could not be stored: ${messageOf(error)}. ` +
    `${call.name} has run; calling it again would run it again.]`
  );
}

function extent(shown: number | undefined): string {
  return shown === undefined ? '' : `, of which these are the first ${shown}`;
}
