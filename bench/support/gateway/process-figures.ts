import { readFileSync } from 'node:fs';

/** Ticks of the processor's clock in a second, as Linux counts them for programs. */
const ticksPerSecond = 100;

/** The processor time that a process has had, in microseconds; not a number where the system does not tell. */
export function processorTime(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may have spaces in it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000_000;
}

/** The resident memory of a process in megabytes. */
export function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1]) / 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
