import { styleText } from 'node:util';

/** The maximum length of a problem that is printed again at the end. */
const maxProblemLength = 2_000;

/** Counts checks and prints a line for each. */
export class Report {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #problems: string[] = [];

  /** Counts checks without printing them. */
  count(state: 'passed' | 'failed' | 'skipped', times = 1): void {
    this.#counts[state] += times;
  }

  /** Prints one line, and the problem below it. */
  line(ok: boolean, name: string, durationMs: number, note = '', problem = ''): void {
    const mark = ok ? styleText('green', '✓') : styleText('red', '✗');
    const time = styleText('dim', `${(durationMs / 1000).toFixed(1)} s`);
    console.log(`${mark} ${name.padEnd(56)} ${time}${note === '' ? '' : `  ${note}`}`);
    if (problem.trim() === '') return;
    const indented = problem.trim().replaceAll(/^/gm, '    ');
    console.log(`${indented}\n`);
    this.#problems.push(`✗ ${name}\n${indented.slice(0, maxProblemLength)}`);
  }

  /** Counts and prints one check. */
  check(ok: boolean, name: string, durationMs: number, note = '', problem = ''): void {
    this.count(ok ? 'passed' : 'failed');
    this.line(ok, name, durationMs, note, problem);
  }

  /** Prints all problems again, because a log may be cut, then the counts as the last line. Returns the exit code. */
  finish(): number {
    if (this.#problems.length > 0) console.log(`\nFailed:\n\n${this.#problems.join('\n\n')}`);
    const { passed, failed, skipped } = this.#counts;
    console.log(`\n${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
    return failed > 0 ? 1 : 0;
  }
}
