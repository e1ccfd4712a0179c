import type { FastifyRequest } from 'fastify';
import type { RunSources } from '../../service/run/run-sources';
import type { Sources } from '../sources';
import { momentOf } from '../watches';

/** By then whoever was told of the same has asked. @format milliseconds */
const KEPT_MS = 10_000;

/** What was read, and when that began. */
interface Read {
  readonly began: number;
  readonly value: Promise<unknown>;
}

/**
 * What pages show. Whoever comes to a page is read what it shows; for all who look on at the same page and were told of
 * the same event it is read once, after that event: 200 open pages cost Temporal and the store what one does.
 */
export class SharedReads {
  private readonly last = new Map<string, Read>();

  constructor(private readonly sources: Pick<Sources, 'readable'>) {}

  /** What a page shows. @see Sources.readable */
  async read<T>(request: FastifyRequest, work: (sources: RunSources) => Promise<T>): Promise<T> {
    const { url } = request;
    const told = momentOf(request.headers['portolan-looks-on']);
    if (told === undefined) return await this.sources.readable(work);
    const last = this.last.get(url);
    if (last && last.began > told) return (await last.value) as T;
    const value = this.sources.readable(work);
    this.keep(url, { began: performance.now(), value });
    return await value;
  }

  private keep(url: string, read: Read): void {
    this.last.set(url, read);
    const forget = (): void => void (this.last.get(url) === read && this.last.delete(url));
    setTimeout(forget, KEPT_MS).unref();
    // What could not be read is tried again by the next who asks.
    read.value.catch(forget);
  }
}
