import type { LogLevel } from '../../../core/client.ts';
import { logLevels } from '../../../core/client.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json.ts';

/** What a client can do for the tools it calls. */
export interface Abilities {
  readonly form: boolean;
  readonly url: boolean;
  readonly sample: boolean;
  readonly roots: boolean;
}

/** What a client says it can do, in the form of MCP. */
export function abilitiesOf(capabilities: JsonValue | undefined): Abilities {
  const { elicitation, sampling, roots } = isJsonObject(capabilities) ? capabilities : {};
  // An empty object is what revisions without pages to visit say of forms.
  const isBare = isJsonObject(elicitation) && elicitation['form'] === undefined && elicitation['url'] === undefined;
  return {
    form: isJsonObject(elicitation) && (isBare || elicitation['form'] !== undefined),
    url: isJsonObject(elicitation) && elicitation['url'] !== undefined,
    sample: isJsonObject(sampling),
    roots: isJsonObject(roots),
  };
}

/** The level of that name. */
export function logLevelOf(name: JsonValue | undefined): LogLevel | undefined {
  return logLevels.find((level) => level === name);
}

/** Whether a message is important enough. */
export function isWanted(level: LogLevel, from: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(from);
}

/** The token under which a request wants to hear of its progress. */
export function progressTokenOf(params: JsonObject): string | number | undefined {
  const meta = params['_meta'];
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}
