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
import { type Stage, mapMaybe } from '../stage.ts';
import type { AdmittedCall } from '../call-lifecycle.ts';
import { type ResultSize, type SizeLimits, isCertainlyWithinLimits, measureResult } from '../results/result-size.ts';
import { type ShorteningOptions, shortenResult } from '../results/shorten-result.ts';

/** The key in `_meta` of a shortened result that holds the URI of the full result. */
const fullResultKey = 'signalbox/result';

/** Dependencies and limits of the stage. */
export interface BoundOptions {
  readonly store: Store;
  readonly redactor: Redactor;
  readonly catalog: Catalog;
  /** The name of the built-in server, whose `read_result` reads stored results; absent where there is none. */
  readonly builtin: string | undefined;
  /** The default limits, for tools and servers that set none. */
  readonly results: SizeLimits;
}

/** The full result, as `read_result` returns it. */
interface StoredResult {
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
    mapMaybe(next(call), (outcome) => {
      const limits = limitsFor(call.tool, results);
      if (isCertainlyWithinLimits(outcome, limits)) return outcome;
      const size = measureResult(outcome, limits);
      const isWithinLimits = size.textBytes + size.structuredBytes <= limits.maxBytes && size.tooLarge.size === 0;
      return isWithinLimits ? outcome : shorten(call, outcome, size, limits);
    });

  async function shorten(
    call: AdmittedCall,
    outcome: CallOutcome,
    size: ResultSize,
    limits: SizeLimits,
  ): Promise<CallOutcome> {
    const uri = resultUri(call.id);
    const readTool = readToolName(call, options);
    const reference = readTool === undefined ? `the full result is stored as ${uri}` : `${readTool} {"uri": "${uri}"}`;
    const isValid = validatorOf(call.tool.definition.outputSchema, outcome);
    const short = shortenResult(outcome, size, { ...limits, reference, isValid });
    if (short === undefined) return outcome;
    const { mimeType, ...full } = fullResultOf(outcome, size);
    // The stored result is unchanged except for registered secrets, which never reach the disk.
    const stored: StoredResult = { uri, mimeType, text: redactor.values(full.text) };
    const { shown, ...shortened } = short;
    let note: string;
    let link: ContentBlock[] = [];
    let _meta = outcome._meta;
    try {
      await store.storeResult({ id: call.id, owner: call.principal.id, mimeType, text: stored.text });
      note = readingNote(stored, readTool, shown);
      link = [linkTo(call, stored)];
      _meta = { ..._meta, [fullResultKey]: metaOf(stored) };
    } catch (error) {
      note = notStoredNote(call, stored, shown, error);
    }
    const content = [...shortened.content, text(note), ...link];
    return { ...outcome, ...shortened, content, ...omitUndefined({ _meta }) };
  }
}

function limitsFor({ offered, source }: CatalogTool, { maxBytes, maxMediaBytes }: SizeLimits): SizeLimits {
  const [toolLimits, serverLimits] = [offered.results, source.limits.results];
  return {
    maxBytes: toolLimits?.maxBytes ?? serverLimits?.maxBytes ?? maxBytes,
    maxMediaBytes: toolLimits?.maxMediaBytes ?? serverLimits?.maxMediaBytes ?? maxMediaBytes,
  };
}

/** Returns the name under which the caller can call `read_result`, if it can. */
function readToolName({ options }: AdmittedCall, { catalog, builtin }: BoundOptions): string | undefined {
  const { profile, nameOf } = options;
  const listed = catalog.view(profile).tools.find(({ id }) => id.server === builtin && id.tool === 'read_result');
  return listed === undefined ? undefined : (nameOf?.(listed.id) ?? listed.name);
}

/** Checks values against the schema that clients were shown. With a schema that does not compile, only the unchanged value passes. */
function validatorOf(schema: JsonSchema | undefined, outcome: CallOutcome): ShorteningOptions['isValid'] {
  // Clients do not validate the result of a failed call.
  if (schema === undefined || outcome.outcome !== 'completed') return () => true;
  const { structuredContent } = outcome;
  if (structuredContent === undefined) return () => true;
  const compiled = new SchemaCompiler().compile(schema);
  return compiled.ok ? compiled.fitsInTime : (value) => value === structuredContent;
}

/** A result that is one text is stored as that text, so that `read_result` can page through it; any other is stored as JSON. */
function fullResultOf(outcome: CallOutcome, { duplicates }: ResultSize): Pick<StoredResult, 'text' | 'mimeType'> {
  const { content, structuredContent, _meta, fields } = outcome;
  const [only] = content;
  const duplicate = only === undefined ? undefined : duplicates.get(only);
  if (content.length === 1 && only?.type === 'text' && (structuredContent === undefined || duplicate !== undefined))
    return { text: only.text, mimeType: duplicate === 'json' ? 'application/json' : 'text/plain' };
  return { text: JSON.stringify({ ...fields, content, structuredContent, _meta }), mimeType: 'application/json' };
}

function metaOf({ uri, mimeType, text: full }: StoredResult): JsonObject {
  return { uri, mimeType, characters: full.length, bytes: Buffer.byteLength(full) };
}

function linkTo(call: AdmittedCall, { uri, mimeType, text: full }: StoredResult): ContentBlock {
  return { type: 'resource_link', uri, name: `Result of ${call.name}`, mimeType, size: Buffer.byteLength(full) };
}

function readingNote(
  { uri, text: full }: StoredResult,
  readTool: string | undefined,
  shown: number | undefined,
): string {
  const what = `[This result was shortened: it has ${full.length} characters${extent(shown)}. `;
  if (readTool === undefined) return `${what}The full result is stored as ${uri}.]`;
  return `${what}Read on with the tool ${readTool} {"uri": "${uri}", "offset": ${shown ?? 0}}.]`;
}

/** Explains that the rest could not be stored. The call is still reported as completed: a caller that sees a failure might run it again. */
function notStoredNote(
  call: AdmittedCall,
  { text: full }: StoredResult,
  shown: number | undefined,
  error: unknown,
): string {
  return (
    `[This result was shortened: it has ${full.length} characters${extent(shown)}. The rest could not be stored: ${messageOf(error)}. ` +
    `${call.name} has run; calling it again would run it again.]`
  );
}

function extent(shown: number | undefined): string {
  return shown === undefined ? '' : `, of which these are the first ${shown}`;
}
