import type { JsonObject } from '../../../core/json/json.ts';
import type { Effect } from '../../../core/tools/tool.ts';
import type { ResultLimits } from '../../source/source.ts';

type ByTool<Value> = Readonly<Record<string, Value>>;

/** The `tools` block of a server in the configuration. */
export interface ToolShaping {
  /** The name of the configuration file, for reasons and notices. */
  readonly origin: string;
  /** Patterns for own or full names of the tools to offer; all tools by default. */
  readonly allow?: readonly string[];
  /** Patterns for the names of tools to hide. Takes precedence over `allow`. */
  readonly deny?: readonly string[];
  /** New names by the source's names. */
  readonly rename?: ByTool<string>;
  readonly describe?: ByTool<string>;
  readonly title?: ByTool<string>;
  readonly arguments?: ByTool<ArgumentShaping>;
  readonly effect?: ByTool<Effect>;
  readonly providerOptions?: ByTool<JsonObject>;
  /** Limits of the results of single tools. */
  readonly results?: ByTool<ResultLimits>;
  /** Tools that can be called although their input schema cannot check all arguments. */
  readonly schema?: ByTool<'trust'>;
  /** Labels of single tools, in addition to those they have. */
  readonly labels?: ByTool<readonly string[]>;
  /** Labels of every tool of the server. */
  readonly serverLabels?: readonly string[];
  /** Begins every description with the name of the server: `[files] …`. */
  readonly prefix?: boolean;
}

/** The configured changes to the arguments of one tool. */
export interface ArgumentShaping {
  /** Values for arguments that the caller omits. */
  readonly default?: JsonObject;
  /** Arguments that are not shown, and rejected when given. */
  readonly hide?: readonly string[];
  /** Fixed values of arguments that are not shown, and rejected when given. */
  readonly set?: JsonObject;
}

/** The sections of a shaping whose keys name tools: by new, own or full name, or by a pattern. */
export const toolSections = [
  'describe',
  'title',
  'arguments',
  'effect',
  'providerOptions',
  'labels',
  'results',
  'schema',
] as const;

export type ToolSection = (typeof toolSections)[number];
