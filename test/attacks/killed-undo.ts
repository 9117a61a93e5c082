/**
 * Undoes a call and kills itself at one of the moments around its changes of names. Run by `undo.test.ts` with the data directory, the call, the
 * number of the moment, and a file that somebody edits at the last moment before it is moved, or nothing.
 */
import fs, { appendFileSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { UndoEngine } from '../../src/workspace/undo-engine.ts';

const [, , data = '', call = '', moment = '', edited = ''] = process.argv;
let left = Number(moment);

/** Dies before or after the operation when its moment has come. */
function dying<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const pass = (): void => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  return (...args) => {
    const names = args.filter((arg) => typeof arg === 'string');
    const isOfUndo = names.some((name) => name.includes('.signalbox-undo-'));
    if (isOfUndo) pass();
    if (isOfUndo && edited !== '' && basename(names[0] ?? '') === basename(edited)) {
      appendFileSync(edited, 'by a human');
      writeSync(1, 'edited\n');
    }
    act(...args);
    if (isOfUndo) pass();
  };
}

for (const name of ['renameSync', 'linkSync', 'unlinkSync'] as const)
  Object.assign(fs, { [name]: dying(fs[name] as (...args: unknown[]) => void) });
syncBuiltinESMExports();

const limits = { files: 1000, bytes: 1e9, milliseconds: 60_000 };
const engine = new UndoEngine({ data, limits, deadEngines: [], engine: 'undoing' });
engine.recover();
if (engine.changesOf(call)?.status === 'kept') engine.undo(call, true);
writeSync(1, `${JSON.stringify(engine.changesOf(call)?.status)}\n`);
