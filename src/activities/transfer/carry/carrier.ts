import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortolanError } from '../../../model/errors/errors';
import type { Carried } from '../../../model/transfer/stored-package';
import type { Portal } from '../../../portal/client';
import type { FileSource } from '../../../portal/http/request';
import { addPart, listParts } from '../../../portal/resources/items/add-item';
import { goesInParts, type Part, PARTS_AT_A_TIME, partsOf } from '../../../portal/resources/items/upload';
import type { PartialFile } from '../../../store/store';
import type { CarriedNote } from './carried-note';
import { type Hashing, PartHash } from './part-hash';

/** Pauses before a target that failed is asked once more. @format milliseconds */
const AGAIN_AFTER_MS = [250, 1_000, 5_000] as const;

/** Where a package goes while it comes. */
export interface Onwards {
  readonly portal: Portal;
  readonly username: string;
  readonly note: CarriedNote;
  readonly signal: AbortSignal;
  /** Makes the package item, or finds the one that an earlier attempt made. @returns its id */
  open(): Promise<string>;
}

/**
 * Sends the parts of a package on to the target as they come into the store, read back from there: so nothing is held in
 * memory, and neither line waits for the other. What goes wrong on the target is not the download's: then no more is sent,
 * and the upload sends what is missing, and says what is wrong.
 */
export class Carrier {
  private size = 0;
  /** sha256 of all bytes up to the end of each part. */
  private readonly hashes = new Map<number, string>();
  /** Parts whose bytes are hashed, and may not be written yet. */
  private ready: Part[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private begun: Promise<{ itemId: string; there: Set<number> }> | undefined;
  private itemId: string | undefined;
  private readonly held = new Set<number>();
  private hasStopped = false;
  private isEnding = false;

  constructor(
    private readonly onwards: Onwards,
    private readonly partial: PartialFile,
    /** More is never sent. @format bytes */
    private readonly atMost: number,
  ) {}

  /** The hash of a pass over the package from its first byte on. @param size of the whole, where it is known */
  hashing(size: number | undefined): Hashing {
    this.hashes.clear();
    this.held.clear();
    this.ready = [];
    const goes = size !== undefined && size <= this.atMost && goesInParts(size) && this.partial.pieces;
    if (!goes) return createHash('sha256');
    this.size = size;
    return new PartHash(size, (part, sha256) => {
      this.hashes.set(part.partNum, sha256);
      this.ready.push(part);
      this.goOn();
    });
  }

  /** Sends what can be read by now, several parts at a time. */
  goOn(): void {
    while (!this.hasStopped && this.underWay.size < PARTS_AT_A_TIME) {
      const [part] = this.ready;
      const sha256 = part && this.hashes.get(part.partNum);
      if (!sha256 || part.end > (this.partial.readable ?? 0)) return;
      this.ready.shift();
      const sending = this.carry(part, sha256)
        .catch(() => {
          this.hasStopped = true;
        })
        .finally(() => {
          this.underWay.delete(sending);
          this.goOn();
        });
      this.underWay.add(sending);
    }
  }

  /** Waits for what is under way. @param isWhole the package is there: what little is left goes as well */
  async settle(isWhole: boolean): Promise<void> {
    this.isEnding = true;
    if (!isWhole || this.ready.length > PARTS_AT_A_TIME) this.ready = [];
    this.goOn();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** What became of it; undefined where there was nothing to carry. */
  get result(): Carried | undefined {
    if (!this.begun) return undefined;
    return {
      itemId: this.itemId,
      parts: this.held.size,
      of: partsOf(this.size).length,
      differing: this.onwards.note.differing((partNum) => this.hashes.get(partNum)),
    };
  }

  private async carry(part: Part, sha256: string): Promise<void> {
    const { portal, username, note, signal } = this.onwards;
    const { itemId, there } = await (this.begun ??= this.begin());
    if (!there.has(part.partNum) || !note.isOnly(part.partNum, sha256)) {
      await note.begins(part.partNum, sha256);
      await this.patiently(() => addPart(portal, { username, itemId, ...part, file: this.file }, { signal }));
      there.add(part.partNum);
    }
    if (this.hashes.get(part.partNum) === sha256) this.held.add(part.partNum);
  }

  private async begin(): Promise<{ itemId: string; there: Set<number> }> {
    const { portal, username, signal } = this.onwards;
    const itemId = await this.patiently(() => this.onwards.open());
    const parts = await this.patiently(() => listParts(portal, { username, itemId }, { signal }));
    this.itemId = itemId;
    return { itemId, there: new Set(parts) };
  }

  private async patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let failed = 0; ; failed += 1) {
      try {
        return await work();
      } catch (thrown) {
        const pause = AGAIN_AFTER_MS[failed];
        const isOver = this.isEnding || pause === undefined || this.onwards.signal.aborted;
        if (isOver || PortolanError.from(thrown).meaning.kind === 'permanent') throw thrown;
        await sleep(pause, undefined, { signal: this.onwards.signal });
      }
    }
  }

  private get file(): FileSource {
    const pieces = (start: number, end: number): AsyncIterable<Buffer> =>
      this.partial.pieces?.(start, end) ?? Readable.from([]);
    return { size: this.size, open: (start, end) => Readable.from(pieces(start, end)), pieces };
  }
}
