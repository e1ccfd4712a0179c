import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PortalFacts, requireUser } from '../../domain/transfer/portal-facts';
import type { CarriedPackage, Carried, SentParts } from '../../model/transfer/stored-package';
import { startMultipart, addPart, listParts } from '../../portal/resources/items/add-item';
import { isRepeat, stopSignal } from '../attempt/heartbeat';
import type { ActivityDeps } from '../deps';
import { bringPackage, type DownloadPackage, type Hashing } from './downloads';
import { findMade, packageFields } from './uploads';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../../portal/client';
import type { FileSource } from '../../portal/http/request';
import { goesInParts, type Part, PARTS_AT_A_TIME, partsOf } from '../../portal/resources/items/upload';
import type { PartialFile } from '../../store/store';

interface RelayPackage extends DownloadPackage {
  readonly runId: string;
  readonly target: PortalFacts;
  /** Index of the package, from 0. */
  readonly packageIndex: number;
  /** The run has tried before, so it looks for its package item first. @default false */
  readonly again?: boolean;
}

/**
 * Downloads a package into the store and uploads its parts to the target meanwhile. Creates the package item, whose ID
 * is derived from the run, once the size is known and allowed. Commits nothing. Errors of the target are ignored here.
 * Throws what `downloadPackage` throws.
 */
export async function relayPackage(deps: ActivityDeps, input: RelayPackage): Promise<CarriedPackage> {
  const { portals, authority } = deps;
  const { runId, target, packageIndex } = input;
  const portal = portals.open(target.name);
  const signal = stopSignal();
  // A lost response may have left an item behind, so a repeat looks before it creates one.
  const mayHold = isRepeat() || input.again === true;
  let mayBeMade = mayHold;
  const ofRun = { runId, portal: target, packageIndex };
  const fields = packageFields(ofRun);
  const open = async (): Promise<string> => {
    await authority.require(runId, { target: { portal: target.name }, isOwnPackage: true });
    const made = mayBeMade ? await findMade(portal, fields, ofRun) : undefined;
    mayBeMade = true;
    return made ?? (await startMultipart(portal, fields)).id;
  };
  let carrier: Relay | undefined;
  const stored = await bringPackage(deps, input, (partial, watch) => {
    const relays = watch.relays.bind(watch);
    const onwards = { portal, username: requireUser(target), signal, open, relays };
    const earlier = { sent: watch.sent, isRepeat: mayHold };
    return (carrier = new Relay({ ...onwards, ...earlier }, partial, input.packageBytes));
  });
  return { ...stored, carried: carrier?.result };
}

/** Pauses before retrying a target that failed. @format milliseconds */
const AGAIN_AFTER_MS = [250, 1_000, 5_000] as const;

/** Where a package is relayed to. */
interface Onwards {
  readonly portal: Portal;
  readonly username: string;
  readonly signal: AbortSignal;
  /** Creates the package item, or finds the one an earlier attempt created. @returns its ID */
  open(): Promise<string>;
  /** What earlier attempts sent, as far as known. */
  readonly sent: SentParts | undefined;
  /** Whether an earlier attempt may have sent anything. */
  readonly isRepeat: boolean;
  /** Keeps what this attempt sent, for a later one. */
  relays(sent: SentParts): void;
}

/**
 * Uploads the parts of a package while it downloads, read back from the store: nothing is held in memory, and neither
 * connection waits for the other. If the store cannot read a partial file, one part at a time is held in memory, and
 * those that arrive during its upload are left to the upload phase. An error of the target does not fail the download:
 * the upload phase then sends what is missing and reports the error.
 */
export class Relay {
  private size = 0;
  /** sha256 of all bytes up to the end of each part. */
  private readonly hashes = new Map<number, string>();
  /** Parts that are hashed, but perhaps not yet written. */
  private ready: Part[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private begun: Promise<string> | undefined;
  private itemId: string | undefined;
  /** Parts the target has, by the hash of all bytes up to their end. */
  private readonly good = new Map<number, string>();
  /** Parts the target may have, by the same hash; empty if nobody knows which bytes it has. */
  private readonly sent = new Map<number, string>();
  /** What earlier attempts sent, until the package shows whether it is the same. */
  private earlier: SentParts | undefined;
  private passes = 0;
  /** What was running when the package started over. */
  private before: Promise<unknown> | undefined;
  private readonly buffer: PartBuffer | undefined;
  private hasStopped = false;
  private isEnding = false;

  constructor(
    private readonly onwards: Onwards,
    private readonly partial: PartialFile,
    /** Upload limit. @format bytes */
    private readonly atMost: number,
  ) {
    if (!partial.pieces) this.buffer = new PartBuffer();
    this.earlier = onwards.sent;
  }

  /** A hash over the whole package. @param size of the package, if known */
  hashing(size: number | undefined): Hashing {
    this.hashes.clear();
    this.ready = [];
    this.passes += 1;
    this.before = Promise.all(this.underWay);
    this.buffer?.restart();
    const goes = size !== undefined && size <= this.atMost && goesInParts(size);
    if (!goes) return createHash('sha256');
    this.size = size;
    return new PartHash(size, {
      bytes: (part, bytes) => {
        if (!this.hasStopped) this.buffer?.take(part, bytes);
      },
      end: (part, sha256) => {
        this.hashes.set(part.partNum, sha256);
        if (this.earlier && !this.compare(this.earlier, part, sha256)) return;
        if (!this.buffer || this.buffer.end(part.partNum)) this.ready.push(part);
        this.goOn();
      },
    });
  }

  /** Uploads what can be read by now, several parts at a time. */
  goOn(): void {
    while (!this.hasStopped && this.underWay.size < PARTS_AT_A_TIME) {
      const [part] = this.ready;
      const sha256 = part && this.hashes.get(part.partNum);
      if (!sha256 || !(this.buffer || part.end <= (this.partial.readable ?? 0))) return;
      this.ready.shift();
      const sending = this.carry(part, sha256)
        .catch(() => {
          this.hasStopped = true;
        })
        .finally(() => {
          this.buffer?.forget(part.partNum);
          this.underWay.delete(sending);
          this.goOn();
        });
      this.underWay.add(sending);
    }
  }

  /** Waits for running uploads. @param isWhole the package is complete, so uploads its last parts too */
  async settle(isWhole: boolean): Promise<void> {
    this.isEnding = true;
    if (!isWhole || this.ready.length > PARTS_AT_A_TIME) this.ready = [];
    this.goOn();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** The outcome; undefined if nothing was relayed. */
  get result(): Carried | undefined {
    if (!this.begun && !this.onwards.sent) return undefined;
    const all = partsOf(this.size).map(({ partNum }) => partNum);
    const missing = all.filter((partNum) => !this.isGood(partNum));
    // Until the parts on the target are listed, all of them may be of another package.
    const mayDiffer = (partNum: number): boolean =>
      this.itemId === undefined
        ? this.onwards.isRepeat
        : this.sent.has(partNum) && this.sent.get(partNum) !== this.hashes.get(partNum);
    return {
      itemId: this.itemId,
      parts: all.length - missing.length,
      of: all.length,
      differing: missing.filter(mayDiffer),
    };
  }

  /** Whether it is the package of earlier attempts, seen where their parts end. @returns whether the part is needed */
  private compare({ parts, sha256: expected }: SentParts, { partNum }: Part, sha256: string): boolean {
    if (partNum < parts) return false;
    this.earlier = undefined;
    this.hasStopped = sha256 !== expected;
    if (!this.hasStopped) for (const [earlier, hash] of this.hashes) this.good.set(earlier, hash);
    return !this.hasStopped;
  }

  private isGood(partNum: number): boolean {
    const sha256 = this.hashes.get(partNum);
    return sha256 !== undefined && this.good.get(partNum) === sha256;
  }

  private async carry(part: Part, sha256: string): Promise<void> {
    const { portal, username, signal } = this.onwards;
    const { passes } = this;
    await this.before;
    const itemId = await (this.begun ??= this.begin());
    if (this.good.get(part.partNum) === sha256) return;
    const isOnly = [undefined, sha256].includes(this.sent.get(part.partNum));
    this.sent.set(part.partNum, isOnly ? sha256 : '');
    await this.patiently(() =>
      addPart(portal, { username, itemId, ...part, file: this.fileOf(part) }, { signal }),
    );
    if (!this.buffer && passes !== this.passes) {
      // The package started over meanwhile, so its file may have had other bytes.
      this.sent.set(part.partNum, '');
      return;
    }
    this.good.set(part.partNum, sha256);
    let parts = 0;
    while (this.isGood(parts + 1)) parts += 1;
    const upTo = this.hashes.get(parts);
    if (upTo !== undefined) this.onwards.relays({ parts, sha256: upTo });
  }

  private async begin(): Promise<string> {
    const { portal, username, signal } = this.onwards;
    const itemId = await this.patiently(() => this.onwards.open());
    const parts = await this.patiently(() => listParts(portal, { username, itemId }, { signal }));
    this.itemId = itemId;
    const there = new Set(parts);
    for (const partNum of this.good.keys()) if (!there.has(partNum)) this.good.delete(partNum);
    for (const partNum of there) if (!this.good.has(partNum)) this.sent.set(partNum, '');
    return itemId;
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

  private fileOf(part: Part): FileSource {
    const held = this.buffer?.of(part.partNum);
    if (held) {
      const bytes = (start: number, end: number): Buffer =>
        held.subarray(start - part.start, end - part.start);
      return { size: this.size, open: (start, end) => Readable.from([bytes(start, end)]) };
    }
    const pieces = (start: number, end: number): AsyncIterable<Buffer> =>
      this.partial.pieces?.(start, end) ?? Readable.from([]);
    return { size: this.size, open: (start, end) => Readable.from(pieces(start, end)), pieces };
  }
}

/**
 * sha256 of a file during its transfer, also available at the end of each upload part. That value covers all bytes so
 * far, and each byte is hashed once.
 */
class PartHash {
  private readonly hash = createHash('sha256');
  /** Those that have not arrived. */
  private readonly parts: Part[];
  private bytes = 0;

  /**
   * @param size of the whole file
   * @param told receives the bytes of each part, and at its end the sha256 of all bytes so far
   */
  constructor(
    size: number,
    private readonly told: {
      readonly bytes: (part: Part, bytes: Uint8Array) => void;
      readonly end: (part: Part, sha256: string) => void;
    },
  ) {
    this.parts = partsOf(size);
  }

  update(chunk: Uint8Array): void {
    for (let rest = chunk; rest.length > 0;) {
      const [part] = this.parts;
      const taken = part ? rest.subarray(0, part.end - this.bytes) : rest;
      this.hash.update(taken);
      if (part) this.told.bytes(part, taken);
      this.bytes += taken.length;
      rest = rest.subarray(taken.length);
      if (part === undefined || this.bytes < part.end) continue;
      this.told.end(part, this.hash.copy().digest('hex'));
      this.parts.shift();
    }
  }

  digest(encoding: 'hex'): string {
    return this.hash.digest(encoding);
  }
}

/**
 * Holds one part of a package in memory during the download, for stores that cannot read a partial file. Only one,
 * because such stores hold parts themselves; parts that arrive during its upload are uploaded later.
 */
class PartBuffer {
  private bytes: Buffer | undefined;
  private filled = 0;
  private length = 0;
  /** The part now arriving, whether buffered or not. */
  private coming: number | undefined;
  private filling: number | undefined;
  /** The part that is complete. */
  private held: number | undefined;

  take({ partNum, start, end }: Part, bytes: Uint8Array): void {
    if (partNum !== this.coming) {
      this.coming = partNum;
      this.filling = this.held === undefined ? partNum : undefined;
      this.filled = 0;
    }
    if (partNum !== this.filling) return;
    this.bytes ??= Buffer.allocUnsafeSlow(end - start);
    this.bytes.set(bytes, this.filled);
    this.filled += bytes.length;
  }

  /** A part is complete. @returns whether it is held */
  end(partNum: number): boolean {
    if (partNum !== this.filling) return false;
    this.held = partNum;
    this.length = this.filled;
    this.filling = undefined;
    return true;
  }

  of(partNum: number): Buffer | undefined {
    return partNum === this.held ? this.bytes?.subarray(0, this.length) : undefined;
  }

  /** The part is no longer needed. */
  forget(partNum: number): void {
    if (partNum === this.held) this.held = undefined;
  }

  /** The download starts over. */
  restart(): void {
    this.coming = undefined;
    this.filling = undefined;
  }
}
