import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load-config';
import { openStore } from '../../src/store/open-store';
import { keysUnder, type PartialFile, type Store, type StoredFile, writeFile } from '../../src/store/store';
import { until } from '../support/until';
import { bytesOf, content, cutAfter, inPieces, same, storedBytes } from './content';

export interface StoreAtTest {
  /** A portolan.yaml whose store is the one at test; nothing else uses it. */
  config: string;
  /** Keys of uploads that nobody has completed or ended, where the store can tell. */
  begun?: () => Promise<string[]>;
}

const KB = 1024;
const MIB = 1024 * KB;

/** Each piece is taken before the next is asked for, which may overwrite it. */
async function taken(pieces: AsyncIterable<Buffer>) {
  const copies: Buffer[] = [];
  for await (const piece of pieces) copies.push(Buffer.from(piece));
  return Buffer.concat(copies);
}
const bytesOfPieces = (file: StoredFile, start: number, end: number) =>
  taken(file.pieces?.(start, end) ?? file.open(start, end));
/** What an attempt finds of an earlier one. */
const foundIn = (file: PartialFile) => taken(file.pieces?.(0, file.size) ?? Readable.from([]));

/**
 * What everybody relies on in a store, whichever it is.
 *
 * @param MB what files are counted in: a bucket takes parts of 8 MiB, a folder files of any size
 */
export function storeRules(name: string, make: () => StoreAtTest | Promise<StoreAtTest>, MB = MIB) {
  describe(name, () => {
    let site: StoreAtTest;
    let store: Store;

    /** A store as another process sees it. */
    const another = () => openStore(loadConfig(site.config));
    const listed = (prefix: string) => keysUnder(store, prefix);
    const fileOf = (key: string) => storedBytes(another(), key);
    const holds = async (key: string, bytes: Buffer) => expect(same((await fileOf(key))!, bytes)).toBe(true);
    const nothingBegun = async () => expect((await site.begun?.()) ?? []).toEqual([]);
    const write = async (key: string, bytes: Buffer) =>
      expect(await writeFile(store, key, inPieces(bytes))).toBe(bytes.length);

    /** Leaves a file as a writer does that dies: what is sent by itself has begun. */
    const abandon = async (partial: PartialFile, key: string, bytes: Buffer) => {
      await partial.append(inPieces(bytes));
      const isBegun = async () => (await site.begun?.())?.some((each) => each.endsWith(key)) ?? true;
      if (partial.size > 8 * MB + 256 * KB) await until(`${key} is begun`, isBegun);
    };

    beforeAll(async () => {
      site = await make();
      store = another();
    });

    it('is checked without a trace', async () => {
      await store.check();
      const before = await listed('');
      await another().check();
      expect(await listed('')).toEqual(before);
      expect(await listed('check/')).toEqual([]);
    });

    it('returns the newest version of a note', async () => {
      const key = 'notes/a.json';
      expect(await store.readJson(key, z.unknown())).toBeUndefined();
      await store.writeJson(key, { text: 'first' });
      await store.writeJson(key, { text: 'zweitens: äöü ✓' });
      expect(await another().readJson(key, z.unknown())).toEqual({ text: 'zweitens: äöü ✓' });
    });

    it('refuses a note of another shape', async () => {
      await store.writeJson('notes/b.json', { text: 1 });
      await expect(store.readJson('notes/b.json', z.object({ text: z.string() }))).rejects.toThrow(
        /^\[STORE_BROKEN\] notes\/b\.json in .+ is not a valid Portolan file$/,
      );
    });

    it.each([
      'runs/backup-x-2026-11-21T03:00:00Z/record.json',
      'odd/with space/plus+percent%41&and=equals.json',
      'odd/ünïcode-✓/~tilde(and)!others.json',
    ])('takes the key %s', async (key) => {
      await store.writeJson(key, { key });
      expect(await another().readJson(key, z.unknown())).toEqual({ key });
      expect(await listed(key.slice(0, key.indexOf('/') + 1))).toContain(key);
      await store.remove(key);
      expect(await store.readJson(key, z.unknown())).toBeUndefined();
      await write(key, content(100));
      expect(await fileOf(key)).toEqual(content(100));
    });

    it('lists, names and removes what is under a prefix, and nothing of its neighbors', async () => {
      const keys = ['list/a/1.json', 'list/a/2/3.json', 'list/a-b/4.json', 'list/ab/5.json', 'list/a.json'];
      for (const key of keys) await store.writeJson(key, {});
      expect(await listed('list/a/')).toEqual(['list/a/1.json', 'list/a/2/3.json']);
      expect(await listed('list/')).toEqual([...keys].sort());
      expect((await another().names('list/')).sort()).toEqual(['a', 'a-b', 'a.json', 'ab']);
      expect(await another().names('list/a/2/')).toEqual(['3.json']);
      for (const none of [await listed('list/none/'), await store.names('list/none/')])
        expect(none).toEqual([]);
      for (const key of ['list/a/', 'list/a.json', 'list/a.json', 'list/none/']) await store.remove(key);
      expect(await listed('list/')).toEqual(['list/a-b/4.json', 'list/ab/5.json']);
    });

    it('lists and names folders with names of its own files', async () => {
      await store.writeJson('called/x.part/y.tmp/1.json', {});
      expect(await another().names('called/')).toEqual(['x.part']);
      expect(await another().names('called/x.part/')).toEqual(['y.tmp']);
      expect(await listed('called/')).toEqual(['called/x.part/y.tmp/1.json']);
    });

    it.each([0, 1, 100, 256 * KB - 1, 256 * KB, 256 * KB + 1, 8 * MB, 17 * MB + 3])(
      'returns any range of a file of %d bytes',
      async (size) => {
        const bytes = content(size);
        await write('files/one', bytes);
        const file = (await another().openFile('files/one'))!;
        expect(file.size).toBe(size);
        const ends = [0, 1, 255 * KB, 256 * KB, 256 * KB + 1, 8 * MB - 1, 8 * MB, size - 1, size];
        const places = [...new Set(ends.filter((at) => at >= 0 && at <= size))];
        for (const start of places) {
          for (const end of places.filter((at) => at >= start)) {
            if (end - start > MB && !(start === 0 && end === size)) continue;
            expect([
              start,
              end,
              same(await bytesOf(file.open(start, end)), bytes.subarray(start, end)),
              same(await bytesOfPieces(file, start, end), bytes.subarray(start, end)),
            ]).toEqual([start, end, true, true]);
          }
        }
      },
    );

    it('returns what it has of an unfinished file, or says that it cannot', async () => {
      const bytes = content(9 * MB);
      const partial = await store.openPartial('files/read-back');
      let seen = 0;
      async function* readBack(): AsyncGenerator<Buffer> {
        for await (const piece of inPieces(bytes)) {
          yield piece;
          const { readable = 0 } = partial;
          if (readable < seen + MB) continue;
          const read = await taken(partial.pieces!(seen + 5, readable - 7));
          expect(same(read, bytes.subarray(seen + 5, readable - 7))).toBe(true);
          seen = readable;
        }
      }
      await partial.append(readBack());
      expect(seen > 0).toBe(partial.pieces !== undefined);
      expect(partial.readable === undefined).toBe(partial.pieces === undefined);
      await partial.commit();
      await holds('files/read-back', bytes);
    });

    it('lets a reader stop anywhere', async () => {
      await write('files/stopped', content(9 * MB));
      const file = (await store.openFile('files/stopped'))!;
      const stream = file.open(0, file.size);
      await once(stream, 'readable');
      stream.destroy();
      await once(stream, 'close');
      expect(same(await bytesOf(file.open(5 * MB, 6 * MB)), content(9 * MB).subarray(5 * MB, 6 * MB))).toBe(
        true,
      );
    });

    it('shows a file only once it is complete, and until then the one before', async () => {
      const [old, young] = [content(300 * KB), content(10 * MB)];
      await write('files/replaced', old);
      const partial = await store.openPartial('files/replaced');
      const fresh = await store.openPartial('files/fresh');
      for (const each of [partial, fresh]) await each.append(inPieces(young));
      expect(await listed('files/')).not.toContain('files/fresh');
      expect(await fileOf('files/fresh')).toBeUndefined();
      await holds('files/replaced', old);
      for (const each of [partial, fresh]) await each.commit();
      expect(await listed('files/')).toContain('files/fresh');
      await holds('files/fresh', young);
      await holds('files/replaced', young);
    });

    it('continues a file whenever its source breaks', async () => {
      const bytes = content(20 * MB + 7);
      const partial = await store.openPartial('files/broken-source');
      for (const cut of [100, 3 * MB, 9 * MB + 5, 17 * MB]) {
        await expect(partial.append(cutAfter(bytes.subarray(partial.size, cut)))).rejects.toThrow(
          'the connection broke',
        );
        expect(partial.size).toBe(cut);
      }
      expect(await partial.append(inPieces(bytes.subarray(partial.size)))).toBe(bytes.length);
      await partial.commit();
      await holds('files/broken-source', bytes);
    });

    it('lets a later attempt continue an earlier one, if that lasts', async () => {
      const bytes = content(12 * MB);
      const earlier = await store.openPartial('files/resumed');
      await abandon(earlier, 'files/resumed', bytes.subarray(0, 9 * MB));
      const later = await another().openPartial('files/resumed');
      expect(later.size).toBe(later.lasting ? 9 * MB : 0);
      expect(same(await foundIn(later), bytes.subarray(0, later.size))).toBe(true);
      await later.append(inPieces(bytes.subarray(later.size)));
      await later.commit();
      await holds('files/resumed', bytes);
      await nothingBegun();
    });

    it('hides a file that several attempts add to', async () => {
      const bytes = content(20 * MB + 11);
      let at = 0;
      for (const end of [100, 9 * MB, 18 * MB + 5, 18 * MB + 6, bytes.length]) {
        const partial = await another().openPartial('files/relay/one');
        expect(partial.size).toBe(partial.lasting ? at : 0);
        expect(same(await foundIn(partial), bytes.subarray(0, partial.size))).toBe(true);
        await abandon(partial, 'files/relay/one', bytes.subarray(partial.size, end));
        at = end;
        expect(await listed('files/relay/')).toEqual([]);
        expect(await store.names('files/relay/')).toEqual([]);
        if (end === bytes.length) await partial.commit();
      }
      await holds('files/relay/one', bytes);
      expect(await listed('files/relay/')).toEqual(['files/relay/one']);
      await nothingBegun();
    });

    it('continues nothing that was dropped', async () => {
      const [old, young] = [content(20 * MB), Buffer.alloc(17 * MB, 'other')];
      for (const attempt of [1, 2]) {
        const partial = await another().openPartial('files/dropped');
        await abandon(partial, 'files/dropped', old.subarray(partial.size, attempt * 9 * MB));
      }
      const anew = await another().openPartial('files/dropped');
      await anew.restart();
      await abandon(anew, 'files/dropped', young.subarray(0, 9 * MB));
      const later = await another().openPartial('files/dropped');
      await later.append(inPieces(young.subarray(later.size)));
      await later.commit();
      await holds('files/dropped', young);
      await nothingBegun();
    });

    it('drops a closed file, unless that lasts', async () => {
      const partial = await store.openPartial('files/closed');
      await partial.append(inPieces(content(20 * MB)));
      await partial.close();
      await nothingBegun();
      const later = await another().openPartial('files/closed');
      expect(later.size).toBe(partial.lasting ? 20 * MB : 0);
      await later.close();
      const broken = writeFile(store, 'files/broken', cutAfter(content(20 * MB)));
      await expect(broken).rejects.toThrow('the connection broke');
      await nothingBegun();
      expect(await fileOf('files/broken')).toBeUndefined();
    });

    it('removes unfinished files with a key or a prefix', async () => {
      for (const key of ['begun/a', 'begun/b']) {
        await abandon(await store.openPartial(key), key, content(9 * MB));
      }
      await store.remove('begun/a');
      expect((await another().openPartial('begun/a')).size).toBe(0);
      await store.remove('begun/');
      expect((await another().openPartial('begun/b')).size).toBe(0);
      await nothingBegun();
    });

    it('keeps one of several values written to one key at once', async () => {
      const values = Array.from({ length: 20 }, (_, index) => ({
        index,
        text: String(index).repeat(20_000),
      }));
      await Promise.all(values.map((value) => another().writeJson('notes/race.json', value)));
      expect(values).toContainEqual(await store.readJson('notes/race.json', z.unknown()));
    });

    it('keeps a whole file if an earlier writer is still writing', async () => {
      const bytes = content(20 * MB);
      const earlier = await another().openPartial('files/two-writers');
      await earlier.append(inPieces(bytes.subarray(0, 9 * MB)));
      const later = await another().openPartial('files/two-writers');
      const goOn = async (partial: PartialFile) => {
        await partial.append(inPieces(bytes.subarray(partial.size)));
        await partial.commit();
      };
      const [first, second] = await Promise.allSettled([goOn(earlier), goOn(later)]);
      expect(second).toEqual({ status: 'fulfilled', value: undefined });
      expect(['fulfilled', 'rejected']).toContain(first.status);
      await holds('files/two-writers', bytes);
    });

    it('keeps a whole file if an earlier writer appends to it later', async () => {
      const bytes = content(20 * MB);
      let goOn = (): void => undefined;
      const isTakenOver = new Promise<void>((resolve) => (goOn = resolve));
      const earlier = await another().openPartial('files/appended-on');
      const halfway = new Promise<void>((reached) => {
        async function* slowly(): AsyncGenerator<Buffer> {
          yield* inPieces(bytes.subarray(0, 9 * MB));
          reached();
          await isTakenOver;
          yield* inPieces(bytes.subarray(9 * MB));
        }
        void earlier.append(slowly()).catch(() => undefined);
      });
      await halfway;
      const later = await another().openPartial('files/appended-on');
      await later.restart();
      await later.append(inPieces(bytes));
      goOn();
      await earlier.commit().catch(() => undefined);
      await later.commit();
      await holds('files/appended-on', bytes);
    });

    it('hides a file whose writer was killed, and lets the next one write it', async () => {
      const bytes = content(20 * MIB);
      const writer = Writer.start(site.config, 'file', 'files/killed');
      // What is behind its first part is written slowly, so that this one has come by then.
      await writer.told('written 12582912');
      await writer.kill();
      expect(await listed('files/')).not.toContain('files/killed');
      expect(await fileOf('files/killed')).toBeUndefined();
      const next = await store.openPartial('files/killed');
      if (next.lasting) expect(next.size).toBeGreaterThan(8 * MIB);
      else expect(next.size).toBe(0);
      expect(same(await foundIn(next), bytes.subarray(0, next.size))).toBe(true);
      await next.append(inPieces(bytes.subarray(next.size)));
      await next.commit();
      await holds('files/killed', bytes);
      await nothingBegun();
    });

    it('shows a whole note when its writer is killed', async () => {
      const note = z.object({ round: z.number(), text: z.string() });
      for (let times = 1; times <= 3; times += 1) {
        const writer = Writer.start(site.config, 'note', 'notes/killed.json');
        await writer.told(`written ${times * 2}`);
        await writer.kill();
        const { round, text } = (await store.readJson('notes/killed.json', note))!;
        expect(text).toBe(String(round % 10).repeat(500_000));
      }
      expect(await listed('notes/')).toEqual(expect.arrayContaining(['notes/killed.json']));
    });
  });
}

/** A process of its own that writes to a store until it is killed. */
class Writer {
  private words = '';

  private constructor(private child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.words += chunk.toString()));
    }
  }

  /** @param what `file`: bytes as of `content`, slowly from 10 MB on. `note`: one JSON file over and over */
  static start(config: string, what: 'file' | 'note', key: string) {
    const script = path.join(__dirname, 'writer.js');
    return new Writer(
      spawn(process.execPath, [script, config, what, key], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  async told(line: string) {
    const isOver = () => this.child.exitCode !== null;
    const hasTold = () => this.words.split('\n').includes(line);
    await until(line, () => hasTold() || isOver());
    if (!hasTold()) throw new Error(`the writer ended: ${this.words}`);
  }

  async kill() {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
