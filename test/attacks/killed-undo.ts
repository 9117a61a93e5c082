/**
 * Undoes a call and kills itself at one of the moments around its renames. Started by `undo.test.ts` with the data directory, the call, the number
 * of the moment and, optionally, a file that is edited right before it is moved.
 */
import fs, { appendFileSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { UndoEngine } from '../../src/workspace/undo-engine.ts';

const [, , data = '', call = '', moment = '', edited = ''] = process.argv;
let momentsLeft = Number(moment);

/** Kills the process before or after the operation when the moment has come. */
function withKill<Args extends unknown[]>(operation: (...args: Args) => void): (...args: Args) => void {
  const passMoment = (): void => {
    momentsLeft -= 1;
    if (momentsLeft === 0) process.kill(process.pid, 'SIGKILL');
  };
  return (...args) => {
    const names = args.filter((arg) => typeof arg === 'string');
    const isUndoFile = names.some((name) => name.includes('.signalbox-undo-'));
    if (isUndoFile) passMoment();
    if (isUndoFile && edited !== '' && basename(names[0] ?? '') === basename(edited)) {
      appendFileSync(edited, 'by a human');
      writeSync(1, 'edited\n');
    }
    operation(...args);
    if (isUndoFile) passMoment();
  };
}

for (const name of ['renameSync', 'linkSync', 'unlinkSync'] as const)
  Object.assign(fs, { [name]: withKill(fs[name] as (...args: unknown[]) => void) });
syncBuiltinESMExports();

const limits = { files: 1000, bytes: 1e9, milliseconds: 60_000 };
const engine = new UndoEngine({ data, limits });
engine.recover();
if (engine.changesOf(call)?.status === 'kept') engine.undo(call, true);
writeSync(1, `${JSON.stringify(engine.changesOf(call)?.status)}\n`);
