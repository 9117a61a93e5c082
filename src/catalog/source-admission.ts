import { SignalboxError, messageOf } from '../core/errors.ts';
import { getOrInsert } from '../core/get-or-insert.ts';
import { type CatalogTool, catalogTool } from './catalog-tool.ts';
import { type RecordedNaming, recordedNaming, renderName } from '../core/tools/tool-names.ts';
import type { HiddenTool } from './snapshot.ts';
import type { Source, SourceState, SourceTool, WithheldTool } from './source/source.ts';

/** The result of admitting one tool of a source: a tool of the catalog, or the reason why it is hidden. */
export type AdmittedTool =
  | { readonly name: string; readonly tool: CatalogTool; readonly hidden?: never }
  | { readonly name: string; readonly tool?: never; readonly hidden: Hidden; readonly naming?: RecordedNaming };

interface Hidden extends Pick<HiddenTool, 'by' | 'reason' | 'since'> {
  /** Absent when the tool is hidden on purpose. */
  readonly error?: SignalboxError;
}

/** Admits the tools of one source to the catalog. An invalid tool is hidden without affecting the others. */
export class SourceAdmission {
  readonly #source: Source;
  /** Cached by tool object; a source reuses the objects of unchanged tools. */
  readonly #built = new WeakMap<SourceTool, AdmittedTool>();
  /** The start time of each name collision. */
  #clashes = new Map<string, number>();
  #judged: { readonly of: SourceState; readonly offers: readonly AdmittedTool[] } | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Returns the results for all current tools of the source. Computed once for each state of the source. */
  now(): readonly AdmittedTool[] {
    const state = this.#source.state();
    if (this.#judged?.of !== state) this.#judged = { of: state, offers: this.#judge(state) };
    return this.#judged.offers;
  }

  #judge({ tools: offered, hidden = [] }: SourceState): readonly AdmittedTool[] {
    const offers = offered.map((each) => getOrInsert(this.#built, each, () => build(this.#source, each)));
    const clashing = clashingTools(offers);
    this.#clashes = new Map([...clashing.keys()].map((name) => [name, this.#clashes.get(name) ?? Date.now()]));
    const judged = offers.map((offer) => {
      const tools = clashing.get(offer.name);
      return tools === undefined ? offer : this.#clash(offer.name, tools);
    });
    return [...judged, ...hidden.map((each) => withheld(this.#source, each))];
  }

  /** Throws when a tool has an invalid definition or name. */
  assertAll(): void {
    for (const { hidden: why } of this.now()) if (why?.error !== undefined) throw why.error;
  }

  #clash(name: string, tools: readonly CatalogTool[]): AdmittedTool {
    const both = tools.map(({ offered }) => JSON.stringify(offered.remote ?? offered.tool)).join(' and ');
    const reason = `${both} are all rendered as "${name}"; rename all but one`;
    const error = new SignalboxError(
      'name-collision',
      `server "${this.#source.server}": tools ${both} would both be named "${name}"; rename one of them`,
    );
    return { name, hidden: { by: 'name-collision', reason, since: this.#clashes.get(name) ?? Date.now(), error } };
  }
}

function build(source: Source, offered: SourceTool): AdmittedTool {
  try {
    const tool = catalogTool(source, offered);
    const { name } = tool.definition;
    const { schemaProblem: reason } = offered;
    if (reason === undefined) return { name, tool };
    const naming = tool.naming === undefined ? {} : { naming: tool.naming };
    return { name, hidden: { by: 'definition-invalid', reason, since: Date.now() }, ...naming };
  } catch (thrown) {
    const error =
      thrown instanceof SignalboxError
        ? thrown
        : new SignalboxError('tool-invalid', messageOf(thrown), { cause: thrown });
    const name = `mcp__${source.server}__${offered.tool}`;
    return { name, hidden: { by: 'definition-invalid', reason: error.message, since: Date.now(), error } };
  }
}

function withheld({ server }: Source, hidden: WithheldTool): AdmittedTool {
  const id = { server, tool: hidden.tool };
  if (id.tool === '') return { name: `mcp__${server}__`, hidden };
  const { name } = renderName(id);
  const naming = recordedNaming({ id, name });
  return { name, hidden, ...(naming === undefined ? {} : { naming }) };
}

/** Returns the tools of every name that more than one tool has. */
function clashingTools(offers: readonly AdmittedTool[]): Map<string, CatalogTool[]> {
  const admitted = offers.flatMap(({ tool }) => tool ?? []);
  const byName = Map.groupBy(admitted, ({ definition }) => definition.name);
  return new Map([...byName].filter(([, tools]) => tools.length > 1));
}
