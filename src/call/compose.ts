import type { Next, Stage } from './call.ts';

/** Joins stages into one function, once; a call then costs no more than the stages themselves. */
export function compose(stages: readonly Stage[]): Next {
  return stages.reduceRight<Next>(
    (next, stage) => (call) => stage(call, next),
    () => {
      throw new Error('the last stage of the pipeline must not call next');
    },
  );
}
