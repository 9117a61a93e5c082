import type { Stage } from '../call.ts';

/** The place where the state before an undoable call is kept. Until undo is here, such calls run only after an approval. */
export const checkpoint: Stage = (call, next) => next(call);
