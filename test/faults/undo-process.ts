/** Undoes one call, and first finishes the half-done undo of an earlier process. Started and killed by `undo-kill.test.ts`. */
import { writeSync } from 'node:fs';
import { UndoEngine } from '../../src/workspace/undo-engine.ts';

const [, , data = '', call = ''] = process.argv;
const limits = { files: 100_000, bytes: 1e9, milliseconds: 60_000 };
const engine = new UndoEngine({ data, limits });
writeSync(1, 'ready\n');
engine.recover();
if (engine.changesOf(call)?.status !== 'undone') engine.undo(call, false);
writeSync(1, 'done\n');
