import {
  type ReleaseBlock,
  releaseBlock,
  type ReleaseManifest,
  releaseManifest,
} from '../../model/release/release';
import {
  sharedFilesIn,
  type SnapshotManifest,
  type SnapshotPin,
  snapshotPin,
} from '../../model/snapshot/snapshot';
import { hashOfJson, hashOfText } from '../snapshot/hashing';
import type { ZodType } from 'zod';
import { mapLimited } from '../../model/map-limited';
import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import { shortRunId, timeOfRunId, timeStamp } from '../../model/run/run-id';
import { alteredAs } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { keysUnder, type Store, STORE_READS_AT_A_TIME } from '../../store/store';
import { blockLog } from '../event-log';
import { type UnreadableSnapshot, whyUnreadable } from '../snapshot/unreadable';
import { Promotions } from './promotions';

/** What tells a snapshot's content from another's, wherever it lies. */
export const contentOfSnapshot = (
  manifest: Pick<SnapshotManifest, 'rows' | 'package' | 'more' | 'contents'>,
): string => hashOfJson([manifest.rows.sha256, sharedFilesIn(manifest).map(({ sha256 }) => sha256)]);

/** Hash of what a release holds, which does not depend on where or when it was made. */
export const contentOfRelease = ({
  groups,
  settings,
  categories,
}: Pick<ReleaseManifest, 'groups' | 'settings' | 'categories'>): string =>
  hashOfJson([groups.map(({ name, sha256 }) => [name, sha256]), settings?.content, categories?.content]);

/** What is to become a release. Its snapshots are in the store already. */
type NewRelease = Omit<ReleaseManifest, 'createdAt' | 'sha256' | 'imported'>;

/** A release with its pin and its block. */
export interface KnownRelease {
  readonly manifest: ReleaseManifest;
  readonly pin?: SnapshotPin;
  readonly block?: ReleaseBlock;
}

/** `by ana@desk: wrong sums`. */
export const blockText = ({ who, reason }: ReleaseBlock): string => oneLine(`by ${who}: ${reason}`);

const newestFirst = (one: ReleaseManifest, other: ReleaseManifest): number =>
  other.createdAt.localeCompare(one.createdAt);

/**
 * `transport-20261122T091200Z-k7q2`: IDs of a pipeline sort by time. A run's own random end tells its release from
 * others; the run of a schedule has none.
 * @param now for a run whose ID has no time. @format milliseconds since the epoch
 */
export function releaseId(pipeline: string, runId: string, now: number): string {
  const at = timeStamp(timeOfRunId(runId) ?? now);
  const [, end = hashOfText(runId).slice(0, 8)] = /-([a-z2-9]+)$/.exec(runId) ?? [];
  return `${pipeline}-${at}-${end}`;
}

/** The releases of a store. */
export class Releases {
  /** Where they have come since. */
  readonly promotions: Promotions;

  constructor(
    readonly store: Store,
    /** By which what is made here is dated. @default the machine's */
    private readonly clock = (): number => Date.now(),
  ) {
    this.promotions = new Promotions(store, async () => (await this.manifests()).manifests);
  }

  /**
   * Makes a release. The same run makes one, however often it is asked. Throws INTERNAL if another run has made one of
   * that ID.
   */
  async commit(given: NewRelease, now = this.clock()): Promise<ReleaseManifest> {
    const found = await this.find(given.id);
    if (found?.runId === given.runId) return found;
    if (found) throw new PortolanError('INTERNAL', `${found.runId} has already created release ${found.id}`);
    return await this.write({
      ...given,
      createdAt: new Date(now).toISOString(),
      sha256: contentOfRelease(given),
    });
  }

  /** Adds a release whose snapshots are in the store already. */
  async write(manifest: ReleaseManifest): Promise<ReleaseManifest> {
    await this.store.writeJson(keys.releaseManifest(manifest.id), manifest);
    return manifest;
  }

  /** Undefined where there is none of that id. Throws RELEASE_ALTERED, STORE_BROKEN. */
  async find(id: string): Promise<ReleaseManifest | undefined> {
    return await this.readNote(keys.releaseManifest(id), releaseManifest);
  }

  /** A pin that cannot be read holds as well. Throws RELEASE_NOT_FOUND besides what `find` throws. */
  async read(id: string): Promise<KnownRelease> {
    const manifest = await this.find(id);
    if (manifest)
      return { manifest, pin: await this.pinOf(manifest), block: await this.blockOf(manifest.sha256) };
    throw new PortolanError('RELEASE_NOT_FOUND', `no release ${id} in the store at ${this.store.where}`);
  }

  /** Newest first. */
  async list(): Promise<{
    readonly readable: readonly KnownRelease[];
    readonly unreadable: readonly UnreadableSnapshot[];
  }> {
    const { manifests, unreadable } = await this.manifests();
    const blocks = await this.blocks();
    const readable = await mapLimited(
      [...manifests].sort(newestFirst),
      STORE_READS_AT_A_TIME,
      async (manifest) => ({
        manifest,
        pin: await this.pinOf(manifest),
        block: blocks.get(manifest.sha256),
      }),
    );
    return { readable, unreadable };
  }

  /** IDs of all releases, readable or not. */
  async ids(): Promise<string[]> {
    return await this.store.names(keys.releases);
  }

  /** Keeps it from being forgotten. Pinning again replaces who and why. */
  async pin(id: string, pin: SnapshotPin): Promise<void> {
    await this.read(id);
    await this.store.writeJson(keys.releasePin(id), pin);
  }

  /** @returns whether it was pinned */
  async unpin(id: string): Promise<boolean> {
    const { pin } = await this.read(id);
    await this.store.remove(keys.releasePin(id));
    return pin !== undefined;
  }

  /** Keeps its content from every further stage. Blocking again replaces who and why. */
  async block(id: string, who: string, reason: string): Promise<ReleaseBlock> {
    const { manifest } = await this.read(id);
    const now = this.clock();
    const block = { release: id, at: new Date(now).toISOString(), who, reason };
    await this.store.writeJson(keys.block(manifest.sha256), block);
    await blockLog(this.store).note({ what: 'block', release: id, who, at: now, reason });
    return block;
  }

  /** @returns whether it was blocked */
  async unblock(id: string, who: string, reason: string | undefined): Promise<boolean> {
    const { manifest, block } = await this.read(id);
    if (!block) return false;
    await this.store.remove(keys.block(manifest.sha256));
    await blockLog(this.store).note({ what: 'unblock', release: id, who, at: this.clock(), reason });
    return true;
  }

  /** All blocks, by the sha256 of the release. */
  async blocks(): Promise<Map<string, ReleaseBlock>> {
    const found = await keysUnder(this.store, keys.blocks);
    const hashes = found.map((key) => key.slice(keys.blocks.length, -'.json'.length));
    const blocks = await mapLimited(hashes, STORE_READS_AT_A_TIME, async (sha256) => {
      const block = await this.blockOf(sha256);
      return block ? ([[sha256, block]] as const) : [];
    });
    return new Map(blocks.flat());
  }

  /** Throws RELEASE_BLOCKED. */
  async requireUnblocked({ id, sha256 }: Pick<ReleaseManifest, 'id' | 'sha256'>): Promise<void> {
    const block = await this.blockOf(sha256);
    if (!block) return;
    const isOther = block.at !== undefined && block.release !== id;
    const others = !isOther ? '' : ` (as ${block.release}, which has the same content)`;
    throw new PortolanError('RELEASE_BLOCKED', `${id} is blocked ${blockText(block)}${others}`, {
      hint: `Promote another release. To allow this one again: portolan release unblock ${id}`,
    });
  }

  /**
   * Forgets it; its snapshots stay, and may go from now on. One that was altered may go.
   * @param promoting releases of promotions under way, each with its run
   * Throws RELEASE_PINNED, RELEASE_IN_USE, RELEASE_NOT_FOUND.
   */
  async forget(id: string, promoting: ReadonlyMap<string, string>): Promise<void> {
    const known = await this.read(id).catch((thrown: unknown) => {
      if (PortolanError.from(thrown).code !== 'RELEASE_ALTERED') throw thrown;
      return undefined;
    });
    const { pin } = known ?? {};
    if (pin)
      throw new PortolanError(
        'RELEASE_PINNED',
        `${id} is pinned by ${pin.who}${pin.reason ? `: ${pin.reason}` : ''}`,
      );
    const run = promoting.get(id);
    if (run !== undefined)
      throw new PortolanError('RELEASE_IN_USE', `${id} is being promoted or rolled back by ${run}`, {
        hint: `Wait for it to end, or see what it waits for: portolan run show ${shortRunId(run)}`,
      });
    const stage = (await this.promotions.inUse()).get(id);
    if (stage !== undefined)
      throw new PortolanError(
        'RELEASE_IN_USE',
        `${id} is the current release of ${stage}, or a rollback would restore it there`,
      );
    await this.store.remove(keys.release(id));
  }

  /**
   * The snapshots that releases hold, and which release holds each. Throws RELEASE_ALTERED and STORE_BROKEN if one of
   * them is unreadable.
   */
  async held(): Promise<Map<string, string>> {
    const { manifests, unreadable } = await this.manifests();
    const [first] = unreadable;
    if (first)
      throw new PortolanError(
        first.code,
        `cannot read which snapshots release ${first.id} contains: ${first.why}`,
      );
    return new Map(manifests.flatMap(({ id, groups }) => groups.map(({ snapshotId }) => [snapshotId, id])));
  }

  /** What all releases say of themselves, in no order. */
  private async manifests(): Promise<{
    readonly manifests: readonly ReleaseManifest[];
    readonly unreadable: readonly UnreadableSnapshot[];
  }> {
    const manifests: ReleaseManifest[] = [];
    const unreadable: UnreadableSnapshot[] = [];
    await mapLimited(await this.ids(), STORE_READS_AT_A_TIME, async (id) => {
      try {
        const manifest = await this.find(id);
        // One that is not there was forgotten a moment ago.
        if (manifest) manifests.push(manifest);
      } catch (thrown) {
        unreadable.push(whyUnreadable(id, thrown));
      }
    });
    return { manifests, unreadable };
  }

  private async pinOf({ id, createdAt }: ReleaseManifest): Promise<SnapshotPin | undefined> {
    return await this.readNote(keys.releasePin(id), snapshotPin).catch((thrown: unknown) => {
      whyUnreadable(id, thrown);
      return { at: createdAt, who: '?', reason: 'the pin is unreadable' };
    });
  }

  /** A block that cannot be read counts too. */
  private async blockOf(sha256: string): Promise<ReleaseBlock | undefined> {
    return await this.store.readJson(keys.block(sha256), releaseBlock).catch((thrown: unknown) => {
      whyUnreadable(sha256, thrown);
      return { release: '?', who: '?', reason: 'the block is unreadable' };
    });
  }

  private async readNote<T>(key: string, schema: ZodType<T>): Promise<T | undefined> {
    return await this.store.readJson(key, schema).catch(alteredAs('RELEASE_ALTERED'));
  }
}
