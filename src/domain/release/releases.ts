import { z } from 'zod';
import { mapLimited } from '../../model/map-limited';
import { PortolanError } from '../../model/errors/errors';
import {
  type ReleasedFile,
  type ReleaseManifest,
  releaseManifest,
  releasePin,
} from '../../model/release/release';
import { shortRunId } from '../../model/run/run-id';
import type { SnapshotPin } from '../../model/snapshot/snapshot';
import { alteredAs } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { keysUnder, type Store } from '../../store/store';
import { hashOfJson } from '../snapshot/hashing';
import { contentOfRelease } from './content-hash';
import { Promotions } from './promotions';
import { releaseIds } from './release-ids';

const anything = z.unknown();

/** Codes of a file that is not as it should be. */
const ofTheFile: ReadonlySet<string> = new Set(['RELEASE_ALTERED', 'STORE_BROKEN']);

/** What is to become a release. Its snapshots are in the store already. */
export type NewRelease = Omit<
  ReleaseManifest,
  'id' | 'createdAt' | 'settings' | 'categories' | 'sha256' | 'imported'
> & {
  /** As a file has them, and how many there are. */
  readonly settings?: Held;
  readonly categories?: Held;
};

interface Held {
  readonly content: unknown;
  readonly count: number;
}

/** A release with its pin. */
export interface KnownRelease {
  readonly manifest: ReleaseManifest;
  readonly pin?: SnapshotPin;
}

/** One whose manifest cannot be read. */
export interface UnreadableRelease {
  readonly id: string;
  readonly code: string;
  readonly why: string;
}

const newestFirst = (one: ReleaseManifest, other: ReleaseManifest): number =>
  other.createdAt.localeCompare(one.createdAt);

/** A store may be far away. */
const READ_AT_A_TIME = 16;

/** The releases of a store. */
export class Releases {
  /** Where they have come since. */
  readonly promotions: Promotions;

  constructor(
    readonly store: Store,
    /** By which what is made here is dated. @default the machine's */
    private readonly clock = (): number => Date.now(),
  ) {
    this.promotions = new Promotions(store, async () =>
      [...(await this.manifests()).manifests].sort(newestFirst),
    );
  }

  /**
   * Makes a release under the first id of that day that no other has, the files first and the manifest last. The same
   * run makes one, however often it is asked.
   * @param claimed the id that the run has claimed before
   */
  async commit(given: NewRelease, claimed: string, now = this.clock()): Promise<ReleaseManifest> {
    const { runId, pipeline, settings, categories, ...rest } = given;
    const id = await releaseIds(this.store).settle({ runId, pipeline, claimed, now });
    const committed = await this.find(id);
    if (committed?.runId === runId) return committed;
    const files = {
      settings: await this.hold(keys.releaseSettings(id), settings),
      categories: await this.hold(keys.releaseCategories(id), categories),
    };
    const manifest: ReleaseManifest = {
      ...{ id, pipeline, runId, ...rest, ...files },
      createdAt: new Date(now).toISOString(),
      sha256: contentOfRelease({ groups: rest.groups, ...files }),
    };
    await this.store.writeJson(keys.releaseManifest(id), manifest);
    await this.store.remove(keys.releaseClaim(id, runId));
    return manifest;
  }

  /** Takes in one that was made elsewhere, with what it holds of the portal; its snapshots are in the store already. */
  async takeIn(
    { settings, categories, ...rest }: ReleaseManifest,
    content: Readonly<Record<'settings' | 'categories', unknown>>,
  ): Promise<ReleaseManifest> {
    const { id } = rest;
    const heldAs = (key: string, file: ReleasedFile | undefined, of: unknown) =>
      this.hold(key, file && { content: of, count: file.count });
    const manifest: ReleaseManifest = {
      ...rest,
      settings: await heldAs(keys.releaseSettings(id), settings, content.settings),
      categories: await heldAs(keys.releaseCategories(id), categories, content.categories),
    };
    await this.store.writeJson(keys.releaseManifest(id), manifest);
    return manifest;
  }

  /** Undefined where there is none of that id. Throws RELEASE_ALTERED, STORE_BROKEN. */
  async find(id: string): Promise<ReleaseManifest | undefined> {
    return await this.readNote(keys.releaseManifest(id), releaseManifest);
  }

  /** A pin that cannot be read holds as well. Throws RELEASE_NOT_FOUND besides what `find` throws. */
  async read(id: string): Promise<KnownRelease> {
    const manifest = await this.find(id);
    if (manifest) return { manifest, pin: await this.pinOf(manifest) };
    throw new PortolanError('RELEASE_NOT_FOUND', `no release ${id} in the store at ${this.store.where}`);
  }

  /** Newest first. */
  async list(): Promise<{
    readonly readable: readonly KnownRelease[];
    readonly unreadable: readonly UnreadableRelease[];
  }> {
    const { manifests, unreadable } = await this.manifests();
    const readable = await mapLimited([...manifests].sort(newestFirst), READ_AT_A_TIME, async (manifest) => ({
      manifest,
      pin: await this.pinOf(manifest),
    }));
    return { readable, unreadable };
  }

  /** Ids of all releases that are there, readable or not. */
  async ids(): Promise<string[]> {
    const found = await keysUnder(this.store, keys.releases);
    return found.flatMap((key) => keys.releaseOfManifest(key) ?? []);
  }

  /** Settings or categories of a release, as its manifest names them. Throws RELEASE_ALTERED where they are others. */
  async contentOf({ key, sha256 }: ReleasedFile): Promise<unknown> {
    const content = await this.store.readJson(key, anything).catch(() => undefined);
    if (content !== undefined && hashOfJson(content) === sha256) return content;
    throw new PortolanError(
      'RELEASE_ALTERED',
      `${key} in ${this.store.where} is not the file its release names`,
    );
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
    await this.store.remove(keys.releaseManifest(id));
    await this.store.remove(keys.release(id));
  }

  /**
   * The snapshots that releases hold, and which release holds each. Throws RELEASE_ALTERED where one of them does not say what it holds.
   */
  async held(): Promise<Map<string, string>> {
    const { manifests, unreadable } = await this.manifests();
    const [first] = unreadable;
    if (first)
      throw new PortolanError(
        'RELEASE_ALTERED',
        `cannot read which snapshots release ${first.id} contains: ${first.why}`,
      );
    return new Map(manifests.flatMap(({ id, groups }) => groups.map(({ snapshotId }) => [snapshotId, id])));
  }

  /** What all releases say of themselves, in no order. */
  private async manifests(): Promise<{
    readonly manifests: readonly ReleaseManifest[];
    readonly unreadable: readonly UnreadableRelease[];
  }> {
    const manifests: ReleaseManifest[] = [];
    const unreadable: UnreadableRelease[] = [];
    await mapLimited(await this.ids(), READ_AT_A_TIME, async (id) => {
      try {
        const manifest = await this.find(id);
        // One that is not there was forgotten a moment ago.
        if (manifest) manifests.push(manifest);
      } catch (thrown) {
        const { code, why } = whyUnreadable(thrown);
        unreadable.push({ id, code, why });
      }
    });
    return { manifests, unreadable };
  }

  private async pinOf({ id, createdAt }: ReleaseManifest): Promise<SnapshotPin | undefined> {
    return await this.readNote(keys.releasePin(id), releasePin).catch((thrown: unknown) => {
      whyUnreadable(thrown);
      return { at: createdAt, who: '?', reason: 'the pin is unreadable' };
    });
  }

  private async readNote<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> {
    return await this.store.readJson(key, schema).catch(alteredAs('RELEASE_ALTERED'));
  }

  private async hold(key: string, held: Held | undefined): Promise<ReleasedFile | undefined> {
    if (!held) return undefined;
    await this.store.writeJson(key, held.content);
    return { key, sha256: hashOfJson(held.content), count: held.count };
  }
}

/** A file that is not as it should be; what keeps the store from being read at all is thrown on. */
function whyUnreadable(thrown: unknown): Omit<UnreadableRelease, 'id'> {
  const { code, plainMessage } = PortolanError.from(thrown);
  if (!ofTheFile.has(code)) throw thrown;
  return { code, why: plainMessage };
}
