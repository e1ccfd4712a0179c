import { mapLimited } from '../../model/map-limited';
import { type PromotionEntry, promotionEntry } from '../../model/release/promotion';
import { stageName } from '../../model/release/promotion-input';
import type { ReleaseManifest } from '../../model/release/release';
import { type Standing, standingsOf } from '../../model/release/stage-state';
import { alteredAs } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { keysUnder, type Store } from '../../store/store';

/** A store may be far away. */
const READ_AT_A_TIME = 16;

/** The parts of a pipeline needed to find its releases. */
export interface StagesOfPipeline {
  readonly name: string;
  /** The first one is where releases are made. */
  readonly stages: readonly { readonly name: string }[];
}

/** The history of stages: append-only, each entry signed with the store's key. */
export class Promotions {
  constructor(
    private readonly store: Store,
    /** All releases that can be read, the newest first. */
    private readonly releases: () => Promise<readonly ReleaseManifest[]>,
  ) {}

  /** Adding a run's entry twice adds it once. */
  async add(entry: PromotionEntry): Promise<void> {
    const { pipeline, stage, runId, at } = entry;
    const known = await this.entries(pipeline, stage);
    if (known.some((each) => each.runId === runId && each.kind === entry.kind)) return;
    await this.store.writeJson(keys.promotion(pipeline, stage, at, runId), promotionEntry.parse(entry));
  }

  /**
   * The oldest first. Throws RELEASE_ALTERED: what a stage holds is not guessed.
   * @param stage @default of all stages
   */
  async entries(pipeline: string, stage?: string): Promise<PromotionEntry[]> {
    return await this.read(stage === undefined ? keys.pipeline(pipeline) : keys.stage(pipeline, stage));
  }

  /** What became of the stages to which a release came: what goes with it to another site. */
  async historyOf({ id, pipeline }: Pick<ReleaseManifest, 'id' | 'pipeline'>): Promise<PromotionEntry[]> {
    const entries = await this.entries(pipeline);
    const stages = new Set(entries.flatMap(({ release, stage }) => (release === id ? [stage] : [])));
    const sorted = entries.filter(({ stage }) => stages.has(stage));
    // A worker that was taken for dead may note again what its successor has noted: the first counts.
    const byRun = new Map(sorted.toReversed().map((entry) => [`${entry.kind} ${entry.runId}`, entry]));
    return [...byRun.values()].reverse();
  }

  /**
   * Takes in what became of stages at another site. A stage of which this store knows something itself is its own: of
   * that nothing is taken. @returns the stages of which something was
   */
  async takeIn(
    entries: readonly PromotionEntry[],
    imported: NonNullable<PromotionEntry['imported']>,
  ): Promise<string[]> {
    const own = new Set<string>();
    const taken = new Set<string>();
    for (const { pipeline, stage } of entries) {
      const known = await this.entries(pipeline, stage);
      if (known.some((entry) => !entry.imported)) own.add(stage);
    }
    for (const entry of entries.filter(({ stage }) => !own.has(stage))) {
      await this.add({ ...entry, imported });
      taken.add(entry.stage);
    }
    return [...taken];
  }

  /** Current and earlier releases of a pipeline, by stage. */
  async standings({ name, stages }: StagesOfPipeline): Promise<Map<string, Standing[]>> {
    const [first] = stages;
    const entries = await this.entries(name);
    return new Map(
      await Promise.all(
        stages.map(async (stage) => {
          const own = entries.filter((entry) => entry.stage === stage.name);
          const stands = stage === first ? await this.made(name, stage.name) : standingsOf(own);
          return [stage.name, stands] as const;
        }),
      ),
    );
  }

  /** IDs of releases that are current in a stage, or that a rollback would restore, each with the stage. */
  async inUse(): Promise<Map<string, string>> {
    return new Map(
      (await this.ownStandings()).flatMap(([place, standings]) =>
        standings.slice(-2).map(({ release }) => [release, place] as const),
      ),
    );
  }

  /** Runs that promoted a stage's current release: a rollback needs their safeguards. Each with the stage. */
  async waysBack(): Promise<Map<string, string>> {
    return new Map(
      (await this.ownStandings()).flatMap(([place, standings]) =>
        (standings.at(-1)?.entry?.groups ?? []).map(({ runId }) => [runId, place] as const),
      ),
    );
  }

  /** By `PIPELINE/STAGE`. What stands at another site goes back there. */
  private async ownStandings(): Promise<[place: string, standings: Standing[]][]> {
    const byStage = new Map<string, PromotionEntry[]>();
    for (const entry of await this.read(keys.promotions)) {
      if (entry.imported) continue;
      const place = stageName(entry.pipeline, entry.stage);
      byStage.set(place, [...(byStage.get(place) ?? []), entry]);
    }
    return [...byStage].map(([place, entries]) => [place, standingsOf(entries)]);
  }

  /** The entries under a key, the oldest first. */
  private async read(under: string): Promise<PromotionEntry[]> {
    const found = await keysUnder(this.store, under);
    const entries = await mapLimited(found, READ_AT_A_TIME, (key) =>
      this.store.readJson(key, promotionEntry).catch(alteredAs('RELEASE_ALTERED')),
    );
    return inOrder(entries.filter((entry) => entry !== undefined));
  }

  /** A release is current in its first stage until the next one is created. */
  private async made(pipeline: string, stage: string): Promise<Standing[]> {
    const own = (await this.releases()).filter(
      ({ pipeline: of, imported, source }) => of === pipeline && (!imported || source.stage === stage),
    );
    return own.reverse().map(({ id, sha256, createdAt }) => ({
      ...{ release: id, sha256 },
      verifiedAt: Date.parse(createdAt),
    }));
  }
}

/**
 * The oldest first. A rollback comes after what it undoes, also if another worker noted it, whose clock is behind.
 */
function inOrder(entries: readonly PromotionEntry[]): PromotionEntry[] {
  const promotedAt = new Map<string, number>();
  for (const { kind, runId, at } of entries)
    if (kind === 'promoted')
      promotedAt.set(runId, Math.min(Date.parse(at), promotedAt.get(runId) ?? Infinity));
  const timeOf = ({ at, undoes }: PromotionEntry): number =>
    Math.max(Date.parse(at), promotedAt.get(undoes ?? '') ?? 0);
  return entries.toSorted(
    (one, other) =>
      timeOf(one) - timeOf(other) ||
      // A promotion before a rollback.
      compare(one.kind, other.kind) ||
      compare(one.runId, other.runId) ||
      compare(one.at, other.at),
  );
}

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other);
