import { zoneClockWork } from '../work-costs.ts';
import { type Code, unsure } from './code.ts';

const parts: Readonly<Record<string, readonly [utc: (date: Date) => number, zoned: (date: Date) => number]>> = {
  getFullYear: [(date) => date.getUTCFullYear(), (date) => date.getFullYear()],
  getMonth: [(date) => date.getUTCMonth(), (date) => date.getMonth()],
  getDayOfMonth: [(date) => date.getUTCDate() - 1, (date) => date.getDate() - 1],
  getDayOfWeek: [(date) => date.getUTCDay(), (date) => date.getDay()],
  getHours: [(date) => date.getUTCHours(), (date) => date.getHours()],
  getMinutes: [(date) => date.getUTCMinutes(), (date) => date.getMinutes()],
};

/** `now.getHours()`, and `now.getHours('Europe/Berlin')` where a zone is written out. */
export function datePart(name: string, { run }: Code, zone: string | undefined): Code | undefined {
  const [utc, zoned] = (Object.hasOwn(parts, name) ? parts[name] : undefined) ?? [];
  if (utc === undefined || zoned === undefined) return undefined;
  const clock = zone === undefined ? undefined : clockOf(zone);
  if (zone !== undefined && clock === undefined) return undefined;
  return {
    type: 'int',
    run: (scene) => {
      const at = run(scene);
      if (clock !== undefined) scene.work.charge(zoneClockWork);
      if (typeof at !== 'number') return unsure;
      const part = clock === undefined ? utc(new Date(at)) : zoned(clock.dateAt(at));
      return Number.isNaN(part) ? unsure : part;
    },
  };
}

const clocks = new Map<string, ZoneClock>();

function clockOf(zone: string): ZoneClock | undefined {
  try {
    let clock = clocks.get(zone);
    if (clock === undefined) clocks.set(zone, (clock = new ZoneClock(zone)));
    return clock;
  } catch {
    // There is no such zone: CEL's evaluator says so.
    return undefined;
  }
}

/** What CEL's evaluator makes of a time in a zone, a date that shows that zone's time as if it were ours; kept for a second. */
class ZoneClock {
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
