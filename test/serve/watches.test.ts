import { describe, expect, it } from '@jest/globals';
import { type Watched, Watches } from '../../src/serve/watches';
import { until } from '../support/until';

const never = new AbortController().signal;

/** A thing that changes when the test says so. */
class Thing {
  looks = 0;
  state = 'begun';
  failing = false;

  readonly watched: Watched<string> = {
    ...{ key: 'thing', event: 'thing', everyMs: 5 },
    look: () => {
      this.looks += 1;
      return this.failing ? Promise.reject(new Error('out of reach')) : Promise.resolve(this.state);
    },
    isOver: (seen) => seen === 'over',
  };
}

const all = async (events: AsyncGenerator<string>): Promise<string[]> => {
  const seen: string[] = [];
  for await (const event of events) seen.push(event);
  return seen;
};

describe('a thing that many watch', () => {
  it('is looked at as often for 200 as for one, each of whom is told all that it comes to', async () => {
    const watches = new Watches();
    const thing = new Thing();
    const streams = Array.from({ length: 200 }, () => all(watches.open(thing.watched, never)));
    await until('a look', () => thing.looks > 3);
    const [before, at] = [thing.looks, performance.now()];
    thing.state = 'over';
    const told = await Promise.all(streams);
    const spent = performance.now() - at;
    expect(thing.looks - before).toBeLessThanOrEqual(2 + spent / thing.watched.everyMs);
    for (const seen of told)
      expect(seen).toEqual([
        'event: thing\ndata: "begun"\n\n',
        'event: thing\ndata: "over"\n\n',
        'event: over\ndata: {}\n\n',
      ]);
  });

  it('is not looked at any more once nobody watches it, and anew for the next who does', async () => {
    const watches = new Watches();
    const thing = new Thing();
    const gone = new AbortController();
    const stream = watches.open(thing.watched, gone.signal);
    expect((await stream.next()).value).toBe('event: thing\ndata: "begun"\n\n');
    gone.abort();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    const { looks } = thing;
    thing.state = 'over';
    expect(await all(watches.open(thing.watched, never))).toHaveLength(2);
    expect(thing.looks).toBe(looks + 1);
  });

  it('is told as a problem while it cannot be seen, without what went wrong inside', async () => {
    const watches = new Watches();
    const thing = new Thing();
    thing.failing = true;
    const stream = watches.open(thing.watched, never);
    const { value } = (await stream.next()) as { value: string };
    expect(value).toMatch(/^event: problem\ndata: \{"type":"urn:portolan:error:INTERNAL"/);
    expect(value).not.toContain('out of reach');
    thing.failing = false;
    thing.state = 'over';
    expect((await all(stream)).at(-1)).toBe('event: over\ndata: {}\n\n');
  });

  it('is watched by so many at a time, and by nobody once the server closes', async () => {
    const watches = new Watches();
    const thing = new Thing();
    // Whoever goes away before they read anything leaves nothing behind.
    const gone = new AbortController();
    for (let each = 0; each < 1_000; each += 1) watches.open(thing.watched, gone.signal);
    gone.abort();
    const streams = Array.from({ length: 1_000 }, () => watches.open(thing.watched, never));
    expect(() => watches.open(thing.watched, never)).toThrow('1000 streams are open.');
    const ended = Promise.all(streams.map(all));
    await until('a look', () => thing.looks > 1);
    watches.close();
    expect((await ended).every((seen) => seen.length <= 1)).toBe(true);
    expect(watches.open(thing.watched, AbortSignal.abort())).toBeDefined();
  });
});
