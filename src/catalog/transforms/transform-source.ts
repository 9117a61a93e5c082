import type { Source, SourceState, SourceTool, WithheldTool } from '../source.ts';
import { type Judgement, judgeTool } from './judge-tool.ts';
import type { ToolTransform } from './tool-transform.ts';

interface Listing {
  readonly from: readonly SourceTool[];
  readonly tools: readonly SourceTool[];
  readonly hidden: readonly WithheldTool[];
}

type Survey = (given: SourceState) => readonly string[];

/**
 * A source whose tools have gone through a transform, or through several one after the other. The given source is left as it is.
 * Each tool object is transformed once; calls cost nothing more.
 *
 * @example
 * box.mount(transformServer(notes, (tool) => (tool.tool.startsWith('debug_') ? null : tool)));
 */
export function transformSource(source: Source, transform: ToolTransform | readonly ToolTransform[]): Source {
  return surveyedSource(source, [transform].flat(), () => []);
}

/** A transformed source that also has something to say about all the tools it was made from. */
export function surveyedSource(source: Source, steps: readonly ToolTransform[], survey: Survey): Source {
  return judgedSource(source, (tool) => judgeTool(tool, steps, source.server), survey);
}

/** A source of which each tool is judged, once. */
export function judgedSource(source: Source, judgeOnce: (tool: SourceTool) => Judgement, survey: Survey): Source {
  const judgements = new WeakMap<SourceTool, Judgement>();
  let listing: Listing | undefined;
  let last: { readonly given: SourceState; readonly made: SourceState } | undefined;

  const judge = (tool: SourceTool): Judgement => {
    let judgement = judgements.get(tool);
    if (judgement === undefined) judgements.set(tool, (judgement = judgeOnce(tool)));
    return judgement;
  };

  const list = (from: readonly SourceTool[]): Listing => {
    const before = new Map(listing?.hidden.map(({ tool, since }) => [tool, since]));
    const tools: SourceTool[] = [];
    const hidden: WithheldTool[] = [];
    for (const each of from) {
      const { tool, withheld } = judge(each);
      if (tool !== undefined) tools.push(tool);
      else hidden.push({ ...withheld, since: before.get(withheld.tool) ?? Date.now() });
    }
    return { from, tools, hidden };
  };

  const [health, restart] = [source.health?.bind(source), source.restart?.bind(source)];
  return {
    server: source.server,
    adapter: source.adapter,
    limits: source.limits,
    ...(source.required === undefined ? {} : { required: source.required }),
    ...(source.unlisted === undefined ? {} : { unlisted: source.unlisted }),
    ...(source.isPinned === undefined ? {} : { isPinned: source.isPinned }),
    ...(health === undefined ? {} : { health }),
    ...(restart === undefined ? {} : { restart }),
    ...(source.content === undefined ? {} : { content: source.content }),
    state() {
      const given = source.state();
      if (last?.given === given) return last.made;
      if (listing?.from !== given.tools) listing = list(given.tools);
      const made = {
        ...given,
        tools: listing.tools,
        hidden: [...(given.hidden ?? []), ...listing.hidden],
        notices: [...(given.notices ?? []), ...survey(given)],
      };
      last = { given, made };
      return made;
    },
    subscribe: (listener) => source.subscribe(listener),
    close: () => source.close(),
  };
}
