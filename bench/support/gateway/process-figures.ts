import { readFileSync } from 'node:fs';

/** Clock ticks per second of Linux process statistics. */
const ticksPerSecond = 100;

/** Returns the processor time of a process in microseconds; NaN when the system does not provide it. */
export function processorTime(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000_000;
}

/** Returns the resident memory of a process in megabytes. */
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
