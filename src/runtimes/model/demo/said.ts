import type { JsonObject } from '../../../core/json/json.ts';

/** What the demo model says, and the calls it wants made. */
export interface Answer {
  readonly text: string;
  readonly calls?: readonly DemoCall[];
}

/** A call that the demo model wants made. */
export interface DemoCall {
  readonly tool: string;
  readonly input: JsonObject;
}
