import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config/config';
import { loadConfig } from './config/load-config';
import { profileFiles } from './config/temporal/temporal-profile';
import { PortolanError } from './model/errors/errors';
import { setHeapGrowth } from './temporal/worker';
import { type ConfiguredWorker, runWorker, type WorkerOptions } from './worker';

/** Polling is cheap, and also sees files behind links, on shares and in mounted volumes. */
const LOOK_EVERY_MS = 2_000;

interface ReloadingWorkerOptions extends WorkerOptions {
  /** Called with a sentence after each reload, and after each one that failed. */
  readonly onEvent: (event: string) => void;
}

/**
 * A worker that follows its files: when portolan.yaml, Temporal's profile file or a file named there changes, or on
 * SIGHUP without a terminal, another worker of this process takes over, and the earlier one ends. Open runs keep the
 * route they started with. An invalid file changes nothing. Throws as `runWorker` does.
 */
export async function runReloadingWorker(
  config: Config,
  options: ReloadingWorkerOptions,
): Promise<ConfiguredWorker> {
  setHeapGrowth();
  return new ReloadingWorker(config, await runWorker(config, options), options);
}

class ReloadingWorker implements ConfiguredWorker {
  /** Settles when the last worker has ended; rejects if one failed. */
  readonly stopped: Promise<void>;
  private settle!: { resolve: () => void; reject: (error: unknown) => void };
  private reloading: Promise<void> = Promise.resolve();
  private watched: ReadonlySet<string> = new Set();

  constructor(
    private config: Config,
    private worker: ConfiguredWorker,
    private readonly options: ReloadingWorkerOptions,
  ) {
    this.stopped = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.stopped.catch(() => {});
    this.follow(worker);
    this.watch(profileFiles());
    // With a terminal, the signal means that it was closed.
    if (process.stdin.isTTY !== true) process.on('SIGHUP', this.reload);
  }

  get identity() {
    return this.worker.identity;
  }

  get build() {
    return this.worker.build;
  }

  get view() {
    return this.worker.view;
  }

  async stop(): Promise<void> {
    process.off('SIGHUP', this.reload);
    this.unwatch();
    await this.reloading;
    // A reload may have watched again.
    this.unwatch();
    await this.worker.stop();
  }

  /** Also called when a file was only read, and once for one that does not exist. */
  private readonly onChange = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs) this.reload();
  };

  private readonly reload = (): void => {
    const failed = (thrown: unknown): void =>
      this.options.onEvent(
        `${this.config.path} was not reloaded; the worker keeps its current configuration: ${PortolanError.from(thrown).plainMessage}`,
      );
    this.reloading = this.reloading.then(() => this.takeOver()).catch(failed);
  };

  private async takeOver(): Promise<void> {
    const next = loadConfig(this.config.path);
    // Also if what it names now cannot be used yet.
    this.watch(profileFiles());
    const fixed = (['temporal', 'metrics'] as const).filter(
      (part) => !isDeepStrictEqual(next[part], this.config[part]),
    );
    if (fixed.length > 0)
      throw new PortolanError(
        'CONFIG_INVALID',
        `${fixed.join(' and ')} changed; stop the worker and start it again.`,
      );
    const [earlier, worker] = [this.worker, await runWorker(next, this.options)];
    [this.config, this.worker] = [next, worker];
    this.follow(worker);
    await earlier.stop();
    this.options.onEvent(`${next.path} was reloaded`);
  }

  /** A worker that ends after another took over does not end the whole. */
  private follow(worker: ConfiguredWorker): void {
    worker.stopped.then(
      () => worker === this.worker && this.settle.resolve(),
      (error: unknown) => this.settle.reject(error),
    );
  }

  /** Watches the configuration and the files of Temporal's profile, and no others. */
  private watch(profile: readonly string[]): void {
    const files = new Set([this.config.path, ...profile]);
    for (const file of this.watched) if (!files.has(file)) unwatchFile(file, this.onChange);
    for (const file of files)
      if (!this.watched.has(file)) watchFile(file, { interval: LOOK_EVERY_MS }, this.onChange);
    this.watched = files;
  }

  private unwatch(): void {
    for (const file of this.watched) unwatchFile(file, this.onChange);
    this.watched = new Set();
  }
}
