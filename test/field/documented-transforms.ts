import { hash } from 'node:crypto';
import { type JsonObject, isJsonObject } from '../../src/model/json.ts';

/**
 * The changes that the documentation announces, and nothing else: what these functions do not undo or expect is a difference.
 * Each names the page that documents it.
 */

const maxInstructionChars = 2000;

/** The names under which a client knows the tools and prompts of one server, by the server's own. */
export type Renames = ReadonlyMap<string, string>;

/** Reads from the listed names how the server's own were rendered: `mcp__{server}__{tool}`, or shortened (docs/reference/mcp.md). */
export function renamesIn(server: string, own: readonly string[], listed: readonly string[]): Renames {
  const renames = new Map<string, string>();
  for (const name of own) {
    const full = `mcp__${server}__${name.replace(/[^A-Za-z0-9_-]/gu, '_')}`;
    const mark = `_${hash('sha256', `${server}\n${name}`, 'hex').slice(0, 8)}`;
    const isShortened = (each: string): boolean =>
      each.length < full.length && each.endsWith(mark) && full.startsWith(each.slice(0, -mark.length));
    renames.set(name, listed.find((each) => each === full || isShortened(each)) ?? full);
  }
  return renames;
}

/** Whether a listed tool is one of Signalbox's own, which every client is offered (docs/reference/mcp.md). */
export function isBuiltin(name: string): boolean {
  return name.startsWith('mcp__signalbox__');
}

/** A tool as it is listed (docs/reference/mcp.md, docs/decisions/mcp-sources.md). */
export function expectedTool(tool: JsonObject): JsonObject {
  const { annotations } = tool;
  const hints = isJsonObject(annotations) ? annotations : {};
  // The effect decides what only reads; without one in the configuration it is what the server says.
  return { ...tool, annotations: { ...hints, readOnlyHint: hints['readOnlyHint'] === true } };
}

/**
 * The initialize result is Signalbox's own (docs/reference/mcp.md): it must offer every capability of the server and pass on its
 * instructions under its name.
 */
export function expectedInitialize(server: string, bare: JsonObject, behind: JsonObject): JsonObject {
  const offered = isJsonObject(behind['capabilities']) ? behind['capabilities'] : {};
  const own = isJsonObject(bare['capabilities']) ? bare['capabilities'] : {};
  const { instructions } = bare;
  const passedOn = String(behind['instructions'] ?? '');
  const expectedText =
    typeof instructions === 'string' && instructions !== ''
      ? `The server ${server} says of its own tools:\n${clipped(instructions)}`
      : '';
  return {
    ...behind,
    capabilities: { ...offered, ...Object.fromEntries(Object.entries(own).map(([key, value]) => [key, offered[key] ?? value])) },
    ...(passedOn.includes(expectedText) ? {} : { instructions: expectedText }),
  };
}

function clipped(text: string): string {
  return text.length <= maxInstructionChars ? text : `${text.slice(0, maxInstructionChars).toWellFormed()}…`;
}
