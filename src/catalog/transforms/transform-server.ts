import { SignalboxError, messageOf } from '../../core/errors.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { Source, SourceState, SourceTool, WithheldTool } from '../source/source.ts';

interface Listing {
  readonly from: readonly SourceTool[];
  readonly tools: readonly SourceTool[];
  readonly hidden: readonly WithheldTool[];
}

/**
 * Returns a source whose tools have passed one or more transforms in order. Does not modify the given source.
 * Each tool object is transformed once, so calls have no overhead.
 *
 * @example
 * box.servers.add(transformServer(notes, (tool) => (tool.tool.startsWith('debug_') ? null : tool)));
 */
export function transformServer(source: Source, transform: ToolTransform | readonly ToolTransform[]): Source {
  const transforms = [transform].flat();
  return mapSource(source, (tool) => applyTransforms(tool, transforms, source.server));
}

/** Returns a source whose tools are mapped, each once. `noticesOf` returns additional notices about the original source. */
export function mapSource(
  source: Source,
  mapTool: (tool: SourceTool) => MappedTool,
  noticesOf: (state: SourceState) => readonly string[] = () => [],
): Source {
  const mapped = new WeakMap<SourceTool, MappedTool>();
  let listing: Listing | undefined;
  let last: { readonly given: SourceState; readonly made: SourceState } | undefined;

  const list = (from: readonly SourceTool[]): Listing => {
    const before = new Map(listing?.hidden.map(({ tool, since }) => [tool, since]));
    const tools: SourceTool[] = [];
    const hidden: WithheldTool[] = [];
    for (const each of from) {
      const { tool, withheld } = getOrInsert(mapped, each, mapTool);
      if (tool !== undefined) tools.push(tool);
      else hidden.push({ ...withheld, since: before.get(withheld.tool) ?? Date.now() });
    }
    return { from, tools, hidden };
  };

  const { server, adapter, limits, required, unlisted, isPinned, content } = source;
  const [health, restart] = [source.health?.bind(source), source.restart?.bind(source)];
  return {
    ...omitUndefined({ server, adapter, limits, required, unlisted, isPinned, content, health, restart }),
    state() {
      const given = source.state();
      if (last?.given === given) return last.made;
      if (listing?.from !== given.tools) listing = list(given.tools);
      const made = {
        ...given,
        tools: listing.tools,
        hidden: [...(given.hidden ?? []), ...listing.hidden],
        notices: [...(given.notices ?? []), ...noticesOf(given)],
      };
      last = { given, made };
      return made;
    },
    subscribe: (listener) => source.subscribe(listener),
    close: () => source.close(),
  };
}

/**
 * Transforms one tool before it enters the catalog. Returns the tool to offer, `null` to drop it, or the reason to hide it.
 * Must not modify the given tool. A renamed tool still receives the calls of its new name.
 *
 * @example
 * const quiet: ToolTransform = (tool) => (tool.tool.startsWith('debug_') ? null : { ...tool, labels: ['quiet'] });
 */
export type ToolTransform = (tool: SourceTool) => SourceTool | { readonly hidden: string } | null;

/** The result of mapping a tool: another tool, or a reason not to offer it. */
export type MappedTool =
  | { readonly tool: SourceTool; readonly withheld?: never }
  | { readonly tool?: never; readonly withheld: Omit<WithheldTool, 'since'> };

/** Applies transforms in order. A transform that fails hides the tool, so that no partially transformed tool is offered. */
export function applyTransforms(given: SourceTool, steps: readonly ToolTransform[], server: string): MappedTool {
  let tool = given;
  for (const step of steps) {
    const name = tool.tool;
    try {
      const made = step(tool);
      if (made === null)
        return { withheld: { tool: name, by: 'transform', reason: 'hidden by a transform that drops it' } };
      if (isHidden(made)) return { withheld: { tool: name, by: 'rule', reason: made.hidden } };
      assertTool(made);
      tool = made;
    } catch (thrown) {
      const error = failure(thrown, name, server);
      return { withheld: { tool: name, by: 'definition-invalid', reason: error.message, error } };
    }
  }
  const remote = given.remote ?? given.tool;
  return { tool: tool.tool === remote || tool.remote === remote ? tool : { ...tool, remote } };
}

function isHidden(made: ReturnType<ToolTransform>): made is { readonly hidden: string } {
  return typeof made === 'object' && made !== null && 'hidden' in made && typeof made.hidden === 'string';
}

/** Checks the result of a transform, which in plain JavaScript can be anything. */
function assertTool(made: unknown): asserts made is SourceTool {
  if (typeof made !== 'object' || made === null || made instanceof Promise)
    throw new TypeError(`it returned ${made instanceof Promise ? 'a promise' : typeof made}`);
  const { tool, description, notices, labels, parse, run } = made as Partial<Record<keyof SourceTool, unknown>>;
  const isWhole =
    typeof tool === 'string' &&
    typeof description === 'string' &&
    Array.isArray(notices) &&
    Array.isArray(labels) &&
    typeof parse === 'function' &&
    typeof run === 'function';
  if (!isWhole) throw new TypeError('it returned an incomplete tool');
}

function failure(thrown: unknown, tool: string, server: string): SignalboxError {
  if (thrown instanceof SignalboxError) return thrown;
  return new SignalboxError(
    'tool-invalid',
    `a transform of server "${server}" failed on tool ${JSON.stringify(tool)}: ${messageOf(thrown)}; ` +
      'a transform returns the changed tool, null to drop it, or { hidden: reason }',
    { cause: thrown },
  );
}
