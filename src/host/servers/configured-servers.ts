import { isDeepStrictEqual } from 'node:util';
import type { Lock, LockedServer } from '../../catalog/lock/lock-types.ts';
import { SourceAdmission } from '../../catalog/source-admission.ts';
import type { Source } from '../../catalog/source/source.ts';
import type { Configuration, LocalModuleEntry, ServerEntry } from '../../config/configuration.ts';
import { messageOf } from '../../core/errors.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { McpServer } from '../../sources/mcp/mcp-server.ts';
import { importLocalServer } from '../modules/load-local-server.ts';
import { filesOfModule, packagesOfModule, renewToolModule } from '../modules/tool-modules.ts';
import { downServer } from './down-server.ts';
import {
  type CreateSource,
  isPinned,
  launchSettings,
  prepareSource,
  offeredSource,
  unstartedSource,
} from './entry-source.ts';
import type { ServerStartContext } from './external-server.ts';
import { passthroughSource } from './passthrough-servers.ts';
import { type StartedServers, isPassthrough } from './started-servers.ts';

interface Running {
  readonly entry: ServerEntry;
  /** The server with all of its tools, before lock, pins and settings apply. */
  readonly source: Source;
  /** False for an external server that is disabled in the file and was not enabled since. */
  readonly isStarted: boolean;
}

/** One step of applying a changed configuration. A step cannot fail: everything that can fail runs before the first step. */
interface Step {
  readonly description: string;
  run(): void;
}

/** The handling of a server that the catalog rejects: `show-as-down` at startup, `throw` to reject a changed configuration as a whole. */
export type OnRefusal = 'show-as-down' | 'throw';

/** The time for which running calls may continue on a server before it is stopped. */
const graceMs = 5000;

/** The servers of a configuration in a box. A changed configuration affects only the servers whose entries changed. */
export class ConfiguredServers {
  readonly #box: InternalSignalbox;
  readonly #context: ServerStartContext;
  readonly #started: StartedServers;
  readonly #running = new Map<string, Running>();
  #lock: Lock | undefined;
  /** Servers that were removed from the catalog and are still stopping, by name. */
  readonly #stopping = new Map<string, Promise<void>>();

  /** Uses the servers in `started`, which are already running. */
  constructor(box: InternalSignalbox, context: ServerStartContext, started: StartedServers) {
    this.#box = box;
    this.#context = context;
    this.#started = started;
  }

  /** Returns the servers that were started, with all of their tools. */
  sources(): Source[] {
    return [...this.#running.values()].filter(({ isStarted }) => isStarted).map(({ source }) => source);
  }

  /** Returns the names of the servers, and which of them are disabled. */
  entries(): Pick<ServerEntry, 'name' | 'disabled'>[] {
    return [...this.#running.values()]
      .filter(({ entry }) => !isPassthrough(entry))
      .map(({ entry: { name, kind, disabled }, isStarted }) => ({
        name,
        disabled: disabled && (kind === 'local' || !isStarted),
      }));
  }

  /** Returns the pins of the servers. Servers with `"pin": false` have none. */
  pins(): { get(server: string): LockedServer | undefined } {
    const { pins } = this.#box;
    return {
      get: (server) => {
        const entry = this.#running.get(server)?.entry;
        return entry !== undefined && isPinned(entry) ? pins.get(server) : undefined;
      },
    };
  }

  /** Resolves when the first start of every external server, or of the given one, has ended. */
  async ready(name?: string): Promise<void> {
    await Promise.all(
      this.sources()
        .filter(isExternal)
        .filter(({ server }) => name === undefined || server === name)
        .map((source) => source.ready()),
    );
  }

  /** Returns the directories of the packages that tool modules import. */
  modulePackages(): readonly string[] {
    return [...this.#running.values()].flatMap(({ entry }) =>
      entry.kind === 'local' ? [...packagesOfModule(entry.module)] : [],
    );
  }

  /** Returns the files of tool modules, including those that they import. */
  moduleFiles(): readonly string[] {
    return [...this.#running.values()].flatMap(({ entry }) =>
      entry.kind === 'local' ? [entry.module, ...filesOfModule(entry.module)] : [],
    );
  }

  /**
   * Applies a configuration and returns a description of each change. Imports a tool module again when one of its files is in
   * `changed`. When it rejects, nothing has changed.
   */
  async apply(
    { servers }: Configuration,
    lock: Lock | undefined,
    onRefusal: OnRefusal,
    changed: ReadonlySet<string> = new Set(),
  ): Promise<string[]> {
    const renewed = new Set(servers.flatMap((entry) => (this.#isChanged(entry, changed) ? [entry.module] : [])));
    for (const file of renewed) renewToolModule(file);
    const wanted = new Set(servers.map(({ name }) => name));
    const removals = [...this.#running.values()]
      .filter(({ entry }) => !wanted.has(entry.name))
      .map((running): Step => ({ description: `removed ${running.entry.name}`, run: () => this.#remove(running) }));
    const others = await Promise.all(servers.map((entry) => this.#stepTo(entry, lock, onRefusal, renewed)));
    const steps = [...removals, ...others.filter((step) => step !== undefined)];
    for (const step of steps) step.run();
    this.#lock = lock;
    return steps.map(({ description }) => description);
  }

  /** SourceAdmission the tools of a server, and starts it if it is disabled in the file. Does not change the file. */
  async enable(server: string): Promise<void> {
    const running = this.#running.get(server);
    if (running?.isStarted === false && !isPassthrough(running.entry)) {
      const create = await prepareSource(running.entry, this.#context);
      if (this.#running.get(server) === running) this.#install(running.entry, create, this.#lock?.servers.get(server));
    }
    this.#box.servers.enable(server);
  }

  /** Resolves when all removed servers have stopped. */
  async close(): Promise<void> {
    await Promise.all(this.#stopping.values());
  }

  #isChanged(entry: ServerEntry, changed: ReadonlySet<string>): entry is LocalModuleEntry {
    if (entry.kind !== 'local' || changed.size === 0 || !this.#running.has(entry.name)) return false;
    return [...filesOfModule(entry.module)].some((file) => changed.has(file));
  }

  async #stepTo(
    entry: ServerEntry,
    lock: Lock | undefined,
    onRefusal: OnRefusal,
    renewed: ReadonlySet<string>,
  ): Promise<Step | undefined> {
    const { name, disabled } = entry;
    const before = this.#running.get(name);
    const isSwitched = (before?.entry.disabled ?? false) !== disabled;
    const isReloaded = before !== undefined && entry.kind === 'local' && renewed.has(entry.module);
    const isRestarted =
      before === undefined ||
      isReloaded ||
      !isDeepStrictEqual(launchSettings(before.entry), launchSettings(entry)) ||
      (isSwitched && entry.kind === 'external');
    const isLockChanged = !isDeepStrictEqual(lock?.servers.get(name), this.#lock?.servers.get(name));
    if (!isRestarted && isDeepStrictEqual(before.entry, entry) && !isLockChanged) return undefined;

    const restarted = isReloaded ? 'reloaded' : 'restarted';
    const verb = isSwitched ? (disabled ? 'disabled' : 'enabled') : isRestarted ? restarted : 'reshaped';
    const description = `${before === undefined ? 'added' : verb} ${name}`;
    // The running tools stay when the module cannot be imported.
    if (isReloaded) await importLocalServer(entry);
    const install = isRestarted
      ? await this.#prepareInstall(entry, lock, onRefusal)
      : this.#prepareReshape({ ...before, entry }, lock?.servers.get(name));
    const run = (): void => {
      install();
      if (isSwitched) this.#box.servers[disabled ? 'disable' : 'enable'](name);
    };
    return { description, run };
  }

  /** Returns a function that applies new settings to the tools of a running server. Throws when the catalog rejects the tools. */
  #prepareReshape(running: Running, locked: LockedServer | undefined): () => void {
    const offered = offeredSource(running.source, running.entry, locked, this.#box.pins);
    new SourceAdmission(offered).assertAll();
    return () => {
      this.#running.set(running.entry.name, running);
      this.#box.servers.replace(offered);
    };
  }

  async #prepareInstall(entry: ServerEntry, lock: Lock | undefined, onRefusal: OnRefusal): Promise<() => void> {
    const locked = lock?.servers.get(entry.name);
    const create = await this.#prepareSource(entry, locked, onRefusal);
    return () => this.#install(entry, create, locked);
  }

  async #prepareSource(
    entry: ServerEntry,
    locked: LockedServer | undefined,
    onRefusal: OnRefusal,
  ): Promise<CreateSource> {
    if (isPassthrough(entry)) return () => passthroughSource(entry);
    if (entry.kind === 'external' && entry.disabled) return () => unstartedSource(entry);
    const started = this.#started.take(entry.name);
    if (started !== undefined) return () => started;
    const create = await prepareSource(entry, this.#context);
    if (entry.kind === 'external') return create;
    const source = create(Promise.resolve());
    try {
      new SourceAdmission(offeredSource(source, entry, locked, this.#box.pins)).assertAll();
      return create;
    } catch (error) {
      if (onRefusal === 'throw') throw error;
      return () => downServer(entry.name, source.adapter, messageOf(error));
    }
  }

  #install(entry: ServerEntry, create: CreateSource, locked: LockedServer | undefined): void {
    const { name } = entry;
    const before = this.#running.get(name);
    const source = create(before === undefined ? Promise.resolve(this.#stopping.get(name)) : this.#stop(before.source));
    this.#running.set(name, { entry, source, isStarted: entry.kind === 'local' || isExternal(source) });
    const offered = offeredSource(source, entry, locked, this.#box.pins);
    if (before === undefined) this.#box.servers.add(offered);
    else this.#box.servers.replace(offered);
  }

  #remove({ entry: { name }, source }: Running): void {
    this.#running.delete(name);
    void this.#stop(source);
    // `unmount` closes a source at once. Replacing it first lets running calls finish.
    this.#box.servers.replace(downServer(name, source.adapter, 'it was removed'));
    void this.#box.servers.remove(name);
  }

  /** Stops an external server after its running calls. A local one is not closed, because its module may return it again. */
  #stop(source: Source): Promise<void> {
    const { server } = source;
    const stopping = Promise.resolve(this.#stopping.get(server)).then(async () => {
      if (!isExternal(source)) return;
      await source.drained(graceMs);
      await source.close();
    });
    this.#stopping.set(server, stopping);
    return stopping;
  }
}

function isExternal(source: Source): source is McpServer {
  return 'drained' in source;
}
