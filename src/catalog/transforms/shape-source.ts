import { SchemaCompiler } from '../json-schema.ts';
import type { Source, SourceState, SourceTool } from '../source.ts';
import { matchesPattern } from '../../model/name-pattern.ts';
import { shapeArguments } from './shape-arguments.ts';
import { byOwnName } from './tool-mentions.ts';
import type { ToolShaping } from './tool-shaping.ts';
import type { ToolTransform } from './tool-transform.ts';
import { surveyedSource } from './transform-source.ts';
import { unmatched } from './unmatched.ts';

/** A source whose tools are as the configuration wants them. */
export function shapeSource(source: Source, shaping: ToolShaping): Source {
  const hides: ToolTransform = (tool) => {
    const hidden = hidingRule(tool.tool, shaping);
    return hidden === undefined ? tool : { hidden };
  };
  // What is hidden already is there all the same.
  const survey = ({ tools, hidden = [] }: SourceState): string[] => {
    const names = [...tools, ...hidden].map(({ tool }) => tool);
    return unmatched(shaping, names);
  };
  return lockedByNewName(surveyedSource(source, [hides, shaped(source.server, shaping)], survey), shaping);
}

/** A tool that the lock keeps back is asked for by the name it had before. */
function lockedByNewName(source: Source, { rename = {} }: ToolShaping): Source {
  const names = new Map(Object.entries(rename));
  const state = (): SourceState => {
    const given = source.state();
    if (given.hidden?.some(({ tool, by }) => by === 'lock' && names.has(tool)) !== true) return given;
    const hidden = given.hidden.map((each) =>
      each.by === 'lock' ? { ...each, tool: names.get(each.tool) ?? each.tool } : each,
    );
    return { ...given, hidden };
  };
  return { ...source, state };
}

function hidingRule(name: string, { allow, deny = [], origin }: ToolShaping): string | undefined {
  const pattern = deny.find((each) => matchesPattern(name, each));
  if (pattern !== undefined) return `hidden by deny pattern ${JSON.stringify(pattern)} in ${origin}`;
  if (allow === undefined || allow.some((each) => matchesPattern(name, each))) return undefined;
  return `hidden by the allow patterns in ${origin}, none of which matches it`;
}

function shaped(server: string, shaping: ToolShaping): ToolTransform {
  const names = new Map(Object.entries(shaping.rename ?? {}));
  const descriptions = byOwnName(shaping, 'describe');
  const titles = byOwnName(shaping, 'title');
  const argumentShapings = byOwnName(shaping, 'arguments');
  const effects = byOwnName(shaping, 'effect');
  const providerOptions = byOwnName(shaping, 'providerOptions');
  const labels = byOwnName(shaping, 'labels');
  const { serverLabels = [] } = shaping;
  const compiler = new SchemaCompiler();
  const mark = shaping.prefix === true ? `[${server}] ` : '';

  return (tool) => {
    const own = tool.tool;
    const description = descriptions.get(own) ?? tool.description;
    const title = titles.get(own);
    const options = providerOptions.get(own);
    const renamed: SourceTool = {
      ...tool,
      tool: names.get(own) ?? own,
      description: description.startsWith(mark) ? description : mark + description,
      effect: effects.get(own) ?? tool.effect,
      labels: [...new Set([...tool.labels, ...serverLabels, ...(labels.get(own) ?? [])])],
      ...(title === undefined ? {} : { title }),
      ...(options === undefined ? {} : { providerOptions: { ...tool.providerOptions, ...options } }),
    };
    const wanted = argumentShapings.get(own);
    return wanted === undefined ? renamed : shapeArguments(renamed, wanted, { own, origin: shaping.origin, compiler });
  };
}
