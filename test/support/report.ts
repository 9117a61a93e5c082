import { styleText } from 'node:util';

/** Counts what was checked, and says it line by line. */
export class Report {
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };

  /** Counts without a word. */
  count(state: 'passed' | 'failed' | 'skipped', times = 1): void {
    this.#counts[state] += times;
  }

  /** One line about one thing, and below it what went wrong. */
  line(ok: boolean, name: string, durationMs: number, note = '', problem = ''): void {
    const mark = ok ? styleText('green', '✓') : styleText('red', '✗');
    const time = styleText('dim', `${(durationMs / 1000).toFixed(1)} s`);
    console.log(`${mark} ${name.padEnd(56)} ${time}${note === '' ? '' : `  ${note}`}`);
    if (problem.trim() !== '') console.log(`${problem.trim().replaceAll(/^/gm, '    ')}\n`);
  }

  /** A check that counts as one. */
  check(ok: boolean, name: string, durationMs: number, note = '', problem = ''): void {
    this.count(ok ? 'passed' : 'failed');
    this.line(ok, name, durationMs, note, problem);
  }

  /** The last line of the run, and its exit code. */
  finish(): number {
    const { passed, failed, skipped } = this.#counts;
    console.log(`\n${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
    return failed > 0 ? 1 : 0;
  }
}
