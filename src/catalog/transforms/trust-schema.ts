import type { SourceTool } from '../source.ts';

/** Returns a tool that can be called although its schema cannot check all arguments. A schema that can, still does. */
export function trustSchema(tool: SourceTool): SourceTool {
  const { parseTrusting, schemaProblem, ...rest } = tool;
  if (parseTrusting === undefined) return tool;
  const notice = `its schema is trusted, although ${schemaProblem}`;
  return {
    ...rest,
    parse: parseTrusting,
    notices: schemaProblem === undefined ? rest.notices : [...rest.notices, notice],
  };
}
