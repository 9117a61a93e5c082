/** Converts times to dates whose local fields show the time in a zone, like the library. Caches the result for a second. */
export class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  #second = Number.NaN;
  #date = new Date(Number.NaN);

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      timeZone,
    });
  }

  dateAt(at: number): Date {
    const second = Math.floor(at / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(this.#format.format(at));
    }
    return this.#date;
  }
}
