import { readFileSync } from 'node:fs';
import { isNpmScript } from '../environment.ts';

const checkIntervalMs = 500;
/** Read when this module is loaded, because npm may have exited before `onNpmExit` is called. */
const parent = process.ppid;
const aboveShell = parentOfShell(parent);

/**
 * Calls the callback when the npm process that started this process exits; does nothing when npm did not start it. npm forwards a signal
 * only to its shell, which may exit without forwarding it, and a killed npm forwards nothing. Returns a function that stops watching.
 */
export function onNpmExit(callback: () => void): () => void {
  if (!isNpmScript()) return () => undefined;
  const timer = setInterval(() => {
    const isShellOrphaned = aboveShell !== undefined && (parentOfShell(parent) ?? aboveShell) !== aboveShell;
    if (process.ppid === parent && !isShellOrphaned) return;
    clearInterval(timer);
    callback();
  }, checkIntervalMs).unref();
  return () => clearInterval(timer);
}

/** Returns the parent of a `sh -c …` process; `undefined` for any other process, and without /proc. */
function parentOfShell(pid: number): number | undefined {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')[1] !== '-c') return undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, above] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(above);
  } catch {
    return undefined;
  }
}
