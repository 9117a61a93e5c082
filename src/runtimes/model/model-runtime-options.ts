import type { ModelOptions } from './model-options.ts';
import type { ChosenModel } from './providers/choose-model.ts';

/** Options of `modelRuntime`. */
export interface ModelRuntimeOptions extends ModelOptions {
  /** A language model of your own for a name; `undefined` leaves the name to the providers. */
  readonly chooseModel?: (name: string) => ChosenModel | undefined;
}
