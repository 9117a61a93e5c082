import { isDeepStrictEqual } from 'node:util';
import type { Lock, LockedServer } from '../../catalog/lock/lock.ts';
import { Offers } from '../../catalog/offers.ts';
import type { Source } from '../../catalog/source.ts';
import type { Configuration, LocalModuleEntry, ServerEntry } from '../../config/configuration.ts';
import { messageOf } from '../../core/errors.ts';
import type { Signalbox } from '../../signalbox.ts';
import type { McpServer } from '../../sources/mcp/mcp-server.ts';
import { downServer } from './down-server.ts';
import { importLocalServer } from '../modules/load-local-server.ts';
import { filesOfModule, renewToolModule } from '../modules/tool-modules.ts';
import { type BegunServers, isPassed } from './started-servers.ts';
import type { Starting } from './external-server.ts';
import { passedSource } from './passthrough-servers.ts';
import { type MakeSource, isPinned, makingOf, prepareSource, shapedSource, unstartedSource } from './entry-source.ts';

interface Running {
  /** As it stands in the file. */
  readonly entry: ServerEntry;
  /** The server itself, before lock and configuration change what it offers. */
  readonly source: Source;
  /** What is outside and disabled is not started, unless somebody enabled it since. */
  readonly isStarted: boolean;
}

/** One thing that a changed configuration asks for. It cannot fail: everything that can was done before the first step. */
interface Step {
  readonly told: string;
  run(): void;
}

/** What becomes of a server that the catalog refuses: at the start it is shown as down, later the change is refused as a whole. */
export type Refused = 'shown' | 'thrown';

/** How long calls under way may go on at a server that is to be stopped. */
const graceMs = 5000;

/** The servers of a configuration in a box. A changed configuration touches only the servers whose entries changed. */
export class ConfiguredServers {
  readonly #box: Signalbox;
  readonly #starting: Starting;
  readonly #begun: BegunServers;
  readonly #running = new Map<string, Running>();
  #lock: Lock | undefined;
  /** Servers that are out of the catalog and still being ended, by name. */
  readonly #ending = new Map<string, Promise<void>>();

  /** Those that have begun are taken over when the configuration asks for them. */
  constructor(box: Signalbox, starting: Starting, begun: BegunServers) {
    this.#box = box;
    this.#starting = starting;
    this.#begun = begun;
  }

  /** The servers that were started, before lock and configuration change what they offer. */
  sources(): Source[] {
    return [...this.#running.values()].filter(({ isStarted }) => isStarted).map(({ source }) => source);
  }

  /** The servers, and which of them are out because they are disabled. */
  entries(): Pick<ServerEntry, 'name' | 'disabled'>[] {
    return [...this.#running.values()]
      .filter(({ entry }) => !isPassed(entry))
      .map(({ entry: { name, kind, disabled }, isStarted }) => ({
        name,
        disabled: disabled && (kind === 'local' || !isStarted),
      }));
  }

  /** The pins of the servers that have one: those whose entries turn it off have none. */
  pins(): { get(server: string): LockedServer | undefined } {
    const { pins } = this.#box;
    return {
      get: (server) => {
        const entry = this.#running.get(server)?.entry;
        return entry !== undefined && isPinned(entry) ? pins.get(server) : undefined;
      },
    };
  }

  /** Resolves when every server outside, or the one of this name, has been tried once. */
  async ready(name?: string): Promise<void> {
    await Promise.all(
      this.sources()
        .filter(isExternal)
        .filter(({ server }) => name === undefined || server === name)
        .map((source) => source.ready()),
    );
  }

  /** The files of tool modules, including those that they import. */
  moduleFiles(): readonly string[] {
    return [...this.#running.values()].flatMap(({ entry }) =>
      entry.kind === 'local' ? [entry.module, ...filesOfModule(entry.module)] : [],
    );
  }

  /**
   * Applies a configuration and returns what was done. Tool modules are imported again when one of their files has
   * changed. When it throws, nothing has changed.
   */
  async change(
    { servers }: Configuration,
    lock: Lock | undefined,
    refused: Refused,
    changed: ReadonlySet<string> = new Set(),
  ): Promise<string[]> {
    const renewed = new Set(servers.flatMap((entry) => (this.#isChanged(entry, changed) ? [entry.module] : [])));
    for (const file of renewed) renewToolModule(file);
    const wanted = new Set(servers.map(({ name }) => name));
    const removals = [...this.#running.values()]
      .filter(({ entry }) => !wanted.has(entry.name))
      .map((running): Step => ({ told: `removed ${running.entry.name}`, run: () => this.#remove(running) }));
    const others = await Promise.all(servers.map((entry) => this.#stepTo(entry, lock, refused, renewed)));
    const steps = [...removals, ...others.filter((step) => step !== undefined)];
    for (const step of steps) step.run();
    this.#lock = lock;
    return steps.map(({ told }) => told);
  }

  /** Offers a server’s tools, starting it if it is disabled in the file; the file stays as it is. */
  async enable(server: string): Promise<void> {
    const running = this.#running.get(server);
    if (running?.isStarted === false && !isPassed(running.entry)) {
      const make = await prepareSource(running.entry, this.#starting);
      if (this.#running.get(server) === running) this.#install(running.entry, make, this.#lock?.servers.get(server));
    }
    this.#box.enable(server);
  }

  /** Resolves when nothing is left of the servers that were taken out. */
  async close(): Promise<void> {
    await Promise.all(this.#ending.values());
  }

  #isChanged(entry: ServerEntry, changed: ReadonlySet<string>): entry is LocalModuleEntry {
    if (entry.kind !== 'local' || changed.size === 0 || !this.#running.has(entry.name)) return false;
    return [...filesOfModule(entry.module)].some((file) => changed.has(file));
  }

  async #stepTo(
    entry: ServerEntry,
    lock: Lock | undefined,
    refused: Refused,
    renewed: ReadonlySet<string>,
  ): Promise<Step | undefined> {
    const { name, disabled } = entry;
    const before = this.#running.get(name);
    const isSwitched = (before?.entry.disabled ?? false) !== disabled;
    const isReloaded = before !== undefined && entry.kind === 'local' && renewed.has(entry.module);
    const isOther =
      before === undefined ||
      isReloaded ||
      !isDeepStrictEqual(makingOf(before.entry), makingOf(entry)) ||
      (isSwitched && entry.kind === 'external');
    const isLockedAnew = !isDeepStrictEqual(lock?.servers.get(name), this.#lock?.servers.get(name));
    if (!isOther && isDeepStrictEqual(before.entry, entry) && !isLockedAnew) return undefined;

    const whole = isReloaded ? 'reloaded' : 'restarted';
    const how = isSwitched ? (disabled ? 'disabled' : 'enabled') : isOther ? whole : 'reshaped';
    const told = `${before === undefined ? 'added' : how} ${name}`;
    // The running tools stay when the module cannot be imported.
    if (isReloaded) await importLocalServer(entry);
    const put = isOther
      ? await this.#installation(entry, lock, refused)
      : this.#reshaping({ ...before, entry }, lock?.servers.get(name));
    const run = (): void => {
      put();
      if (isSwitched) this.#box[disabled ? 'disable' : 'enable'](name);
    };
    return { told, run };
  }

  /** The same server, of which other tools are offered, or in another form. */
  #reshaping(running: Running, locked: LockedServer | undefined): () => void {
    const shaped = shapedSource(running.source, running.entry, locked, this.#box.pins);
    new Offers(shaped).assertAll();
    return () => {
      this.#running.set(running.entry.name, running);
      this.#box.replace(shaped);
    };
  }

  async #installation(entry: ServerEntry, lock: Lock | undefined, refused: Refused): Promise<() => void> {
    const locked = lock?.servers.get(entry.name);
    const make = await this.#prepared(entry, locked, refused);
    return () => this.#install(entry, make, locked);
  }

  async #prepared(entry: ServerEntry, locked: LockedServer | undefined, refused: Refused): Promise<MakeSource> {
    if (isPassed(entry)) return () => passedSource(entry);
    if (entry.kind === 'external' && entry.disabled) return () => unstartedSource(entry);
    const begun = this.#begun.take(entry.name);
    if (begun !== undefined) return () => begun;
    const make = await prepareSource(entry, this.#starting);
    if (entry.kind === 'external') return make;
    const source = make(Promise.resolve());
    try {
      new Offers(shapedSource(source, entry, locked, this.#box.pins)).assertAll();
      return make;
    } catch (error) {
      if (refused === 'thrown') throw error;
      return () => downServer(entry.name, source.adapter, messageOf(error));
    }
  }

  #install(entry: ServerEntry, make: MakeSource, locked: LockedServer | undefined): void {
    const { name } = entry;
    const before = this.#running.get(name);
    const source = make(before === undefined ? Promise.resolve(this.#ending.get(name)) : this.#end(before.source));
    this.#running.set(name, { entry, source, isStarted: entry.kind === 'local' || isExternal(source) });
    const shaped = shapedSource(source, entry, locked, this.#box.pins);
    if (before === undefined) this.#box.mount(shaped);
    else this.#box.replace(shaped);
  }

  #remove({ entry: { name }, source }: Running): void {
    this.#running.delete(name);
    void this.#end(source);
    // What is unmounted is closed at once, and calls may be under way: something else takes its place for that.
    this.#box.replace(downServer(name, source.adapter, 'it is removed'));
    void this.#box.unmount(name);
  }

  /** Ends a server outside when its calls have ended. One inside stays: its module may be asked for it again. */
  #end(source: Source): Promise<void> {
    const { server } = source;
    const ending = Promise.resolve(this.#ending.get(server)).then(async () => {
      if (!isExternal(source)) return;
      await source.drained(graceMs);
      await source.close();
    });
    this.#ending.set(server, ending);
    return ending;
  }
}

function isExternal(source: Source): source is McpServer {
  return 'drained' in source;
}
