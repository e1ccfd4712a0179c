import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventOf, SILENT_MS } from './event-stream';
import { problemOf, Refusal } from './problem';

/** Open streams over all watches: in all, and of one caller. */
const STREAMS_MAX = 1_000;
const STREAMS_OF_ONE = 200;
/** Then whoever listens asks again, and with that for their right to. @format milliseconds */
const OPEN_MS = 10 * 60_000;

/** What is looked at again and again, while anybody wants to know. */
export interface Watched<T> {
  /** The same for the same thing: it is looked at once for all. */
  readonly key: string;
  /** Name of the event. */
  readonly event: string;
  /** @format milliseconds */
  readonly everyMs: number;
  look(): Promise<T>;
  /** After this nothing comes any more. @default it goes on */
  isOver?(seen: T): boolean;
}

/**
 * Looks at a thing once for all who watch it, and tells each of them when it is another: what 200 open pages cost is what
 * one does. Whoever reads slowly is told the newest, and misses what was between.
 */
export class Watches {
  private readonly watches = new Map<string, Watch>();
  private readonly streams = new Map<AbortController, string>();

  /**
   * Server-sent events of a thing: its name and what is seen as JSON; `problem` where it cannot be looked at, which is
   * tried again; `over` at the end. Throws a refusal where too many are open.
   * @param who listens
   * @param signal whoever listens has gone
   * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
   */
  open<T>(watched: Watched<T>, who: string, signal: AbortSignal): AsyncGenerator<string> {
    const ofOne = [...this.streams.values()].filter((each) => each === who).length;
    if (ofOne >= STREAMS_OF_ONE)
      throw new Refusal(429, 'TOO_MANY', `${who} has ${ofOne} open streams.`, 'Close some and try again.');
    if (this.streams.size >= STREAMS_MAX)
      throw new Refusal(503, 'TOO_MANY', `${STREAMS_MAX} streams are open.`, 'Close some and try again.');
    const stream = new AbortController();
    this.streams.set(stream, who);
    const end = (): void => stream.abort();
    const timer = setTimeout(end, OPEN_MS);
    // Of one that nobody begins to read no line is ever run.
    stream.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      this.streams.delete(stream);
    });
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    return this.events(watched, stream);
  }

  /** Ends all that is open. */
  close(): void {
    for (const stream of this.streams.keys()) stream.abort();
  }

  private async *events<T>(watched: Watched<T>, stream: AbortController): AsyncGenerator<string> {
    const watch = this.join(watched);
    const { signal } = stream;
    try {
      for (let told = 0; !signal.aborted;) {
        if (watch.version !== told) {
          told = watch.version;
          yield watch.told;
          continue;
        }
        if (watch.isOver) return yield identified(eventOf('over', {}));
        if (!(await watch.changed(signal)) && !signal.aborted) yield ': still here\n\n';
      }
    } finally {
      stream.abort();
      watch.leave();
    }
  }

  private join<T>(watched: Watched<T>): Watch {
    const { key } = watched;
    const known = this.watches.get(key);
    const watch = known ?? new Watch(() => this.watches.delete(key));
    watch.join();
    if (known) return known;
    this.watches.set(key, watch);
    void watch.run(watched);
    return watch;
  }
}

/** One thing that is looked at, for as long as somebody wants to know. */
class Watch {
  private readonly changes = new EventEmitter().setMaxListeners(0);
  private readonly left = new AbortController();
  private watching = 0;
  /** How often it was another. */
  version = 0;
  /** What was seen last, and the same as those who watch are told it. */
  private event = '';
  told = '';
  isOver = false;

  constructor(private readonly forget: () => void) {}

  join(): void {
    this.watching += 1;
  }

  leave(): void {
    this.watching -= 1;
    if (this.watching > 0) return;
    this.forget();
    this.left.abort();
  }

  /** Whether it is another within the time in which something has to be said. */
  changed(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasChanged: boolean) => (): void => {
        clearTimeout(timer);
        this.changes.off('change', change);
        signal.removeEventListener('abort', leave);
        resolve(hasChanged);
      };
      const [change, leave] = [settle(true), settle(false)];
      const timer = setTimeout(leave, SILENT_MS);
      this.changes.once('change', change);
      signal.addEventListener('abort', leave);
    });
  }

  async run<T>({ event, everyMs, look, isOver }: Watched<T>): Promise<void> {
    const { signal } = this.left;
    while (!signal.aborted) {
      try {
        const seen = await look();
        this.isOver = isOver?.(seen) ?? false;
        this.tell(eventOf(event, seen));
      } catch (thrown) {
        this.tell(eventOf('problem', problemOf(thrown)));
      }
      if (this.isOver) return;
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private tell(event: string): void {
    if (event === this.event && !this.isOver) return;
    if (event !== this.event) {
      this.version += 1;
      this.event = event;
      this.told = identified(event);
    }
    this.changes.emit('change');
  }
}

/** Moments of another process are none of this one. */
const here = randomUUID();

/** Whoever was told of it can say since when what they ask for has to be read. */
const identified = (event: string): string => `id: ${here} ${performance.now()}\n${event}`;

/** When that was of which somebody was told, by the id of an event of this process. @format milliseconds of performance.now() */
export function momentOf(id: unknown): number | undefined {
  const [by, at] = typeof id === 'string' ? id.split(' ') : [];
  const moment = by === here && at !== undefined ? Number(at) : NaN;
  return Number.isFinite(moment) ? moment : undefined;
}
