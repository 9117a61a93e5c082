import type { OwnTools } from '../runtimes/own-tools.ts';
import type { Runtime } from '../runtimes/runtime.ts';

/** An agent as the configuration describes it, ready to take turns. */
export interface Agent {
  readonly name: string;
  readonly runtime: Runtime;
  /** Where the runtime's own tools are mounted in the box. */
  readonly own: OwnTools;
  readonly model?: string;
  /** What it is told about the application and its tools, besides its own instructions. */
  readonly instructions?: string;
}

/** The agents there are now; looked at again for every turn. */
export interface Agents {
  list(): readonly Agent[];
  /** The agent of sessions that name none. */
  readonly usual: string;
}
