import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config/config';
import { loadConfig } from './config/load-config';
import { profileFiles } from './config/temporal/temporal-profile';
import { PortolanError } from './model/errors/errors';
import { type AbleWorker, setHeapGrowth, runWorker, type WorkerOptions } from './worker';

/** A look is cheap, and sees files behind links, on shares and in mounted volumes, where nothing tells of changes. */
const LOOK_EVERY_MS = 2_000;

export interface ReloadingWorkerOptions extends WorkerOptions {
  /** Told in one sentence what became of a changed file. */
  readonly onEvent: (event: string) => void;
}

/**
 * A worker that goes by its file: when that changes, or Temporal's profile file or what that names is renewed, or SIGHUP
 * comes where no terminal is, another worker of this process takes over by what it says then, and the earlier one ends. Runs that are under way keep the route that they were started with. A file
 * that cannot be used changes nothing. Throws as `runWorker` does.
 */
export async function runReloadingWorker(
  config: Config,
  options: ReloadingWorkerOptions,
): Promise<AbleWorker> {
  setHeapGrowth();
  const renewable = new RenewableFiles(() => takeUp());
  const kept = new KeptWorker(config, await runWorker(config, options), options, renewable);
  const look = (): void => kept.look();
  const takeUp = (): void => kept.look({ isAsked: true });
  watchFile(config.path, { interval: LOOK_EVERY_MS }, look);
  renewable.watch(profileFiles());
  // Where a terminal is closed, the signal says that.
  const asksByHangup = process.stdin.isTTY !== true;
  if (asksByHangup) process.on('SIGHUP', takeUp);
  return {
    get identity() {
      return kept.worker.identity;
    },
    get build() {
      return kept.worker.build;
    },
    get view() {
      return kept.worker.view;
    },
    stopped: kept.stopped,
    async stop() {
      unwatchFile(config.path, look);
      renewable.end();
      process.off('SIGHUP', takeUp);
      await kept.stop();
    },
  };
}

class KeptWorker {
  /** Settles when the last one has ended; rejects where one failed. */
  readonly stopped: Promise<void>;
  private settle!: { resolve: () => void; reject: (error: unknown) => void };
  private text: string | undefined;
  private changing: Promise<void> = Promise.resolve();

  constructor(
    private config: Config,
    public worker: AbleWorker,
    private readonly options: ReloadingWorkerOptions,
    private readonly renewable: RenewableFiles,
  ) {
    this.stopped = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.stopped.catch(() => {});
    this.watch(worker);
  }

  /** One change after the other. @param isAsked also where the file says what it said: keys beside it may be others */
  look({ isAsked = false } = {}): void {
    const { onEvent } = this.options;
    this.changing = this.changing
      .then(() => this.takeUp(isAsked))
      .catch((thrown: unknown) => {
        const { plainMessage } = PortolanError.from(thrown);
        onEvent(
          `${this.config.path} was not reloaded; the worker keeps its current configuration: ${plainMessage}`,
        );
      });
  }

  async stop(): Promise<void> {
    await this.changing;
    await this.worker.stop();
  }

  private async takeUp(isAsked: boolean): Promise<void> {
    const { onEvent } = this.options;
    const text = await readFile(this.config.path, 'utf8');
    if (!isAsked && text === this.text) return;
    this.text = text;
    const next = loadConfig(this.config.path);
    // What the profile names by now is watched also where it cannot be used yet.
    this.renewable.watch(profileFiles());
    const fixed = (['temporal', 'metrics', 'tracing'] as const).filter(
      (part) => !isDeepStrictEqual(next[part], this.config[part]),
    );
    if (fixed.length > 0)
      throw new PortolanError(
        'CONFIG_INVALID',
        `${fixed.join(' and ')} changed; stop the worker and start it again.`,
      );
    const [earlier, worker] = [this.worker, await runWorker(next, this.options)];
    [this.config, this.worker] = [next, worker];
    this.watch(worker);
    await earlier.stop();
    onEvent(`${next.path} was reloaded`);
  }

  /** One that ends while another has taken over ends nothing. */
  private watch(worker: AbleWorker): void {
    worker.stopped.then(
      () => worker === this.worker && this.settle.resolve(),
      (error: unknown) => this.settle.reject(error),
    );
  }
}

/** Files that a connection is made of. */
class RenewableFiles {
  private files: ReadonlySet<string> = new Set();
  private hasEnded = false;

  constructor(private readonly onRenewed: () => void) {}

  /** These from now on, and no others. */
  watch(names: readonly string[]): void {
    if (this.hasEnded) return;
    const files = new Set(names);
    for (const file of this.files) if (!files.has(file)) unwatchFile(file, this.seen);
    for (const file of files)
      if (!this.files.has(file)) watchFile(file, { interval: LOOK_EVERY_MS }, this.seen);
    this.files = files;
  }

  end(): void {
    this.watch([]);
    this.hasEnded = true;
  }

  /** A file that is not there when the watch begins is told as a change as well. */
  private readonly seen = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== 0 || before.mtimeMs !== 0) this.onRenewed();
  };
}
