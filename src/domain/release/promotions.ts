import { mapLimited } from '../../model/map-limited';
import {
  type PromotionEntry,
  promotionEntry,
  inOrder,
  type StagedRelease,
  standingsOf,
} from '../../model/release/promotion';
import { stageName } from '../../model/release/promotion-input';
import type { ReleaseManifest } from '../../model/release/release';
import { alteredAs } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { keysUnder, type Store, STORE_READS_AT_A_TIME } from '../../store/store';

/** The parts of a pipeline needed to find its releases. */
interface StagesOfPipeline {
  readonly name: string;
  /** The first one is where releases are made. */
  readonly stages: readonly { readonly name: string }[];
}

/** The history of stages: append-only, each entry signed with the store's key. */
export class Promotions {
  constructor(
    private readonly store: Store,
    /** All releases that can be read. */
    private readonly releases: () => Promise<readonly ReleaseManifest[]>,
  ) {}

  /** Adding a run's entry twice adds it once. */
  async add(entry: PromotionEntry): Promise<void> {
    const key = keys.promotion(entry);
    if (!(await this.entry(key))) await this.store.writeJson(key, promotionEntry.parse(entry));
  }

  /**
   * The oldest first. Throws RELEASE_ALTERED: what a stage holds is not guessed.
   * @param stage @default of all stages
   */
  async entries(pipeline: string, stage?: string): Promise<PromotionEntry[]> {
    return inOrder(
      await this.read(stage === undefined ? keys.pipeline(pipeline) : keys.stage(pipeline, stage)),
    );
  }

  /** History of the stages that a release reached, which goes with it to another site. */
  async historyOf({ id, pipeline }: Pick<ReleaseManifest, 'id' | 'pipeline'>): Promise<PromotionEntry[]> {
    const entries = await this.entries(pipeline);
    const stages = new Set(entries.filter(({ release }) => release === id).map(({ stage }) => stage));
    return entries.filter(({ stage }) => stages.has(stage));
  }

  /**
   * Takes in the history of stages at another site, except of stages that have an entry of this site.
   * @returns the stages taken in
   */
  async takeIn(
    pipeline: string,
    entries: readonly PromotionEntry[],
    imported: NonNullable<PromotionEntry['imported']>,
  ): Promise<string[]> {
    const known = (await this.entries(pipeline)).filter((entry) => !entry.imported);
    const own = new Set(known.map(({ stage }) => stage));
    const coming = entries.filter(({ stage }) => !own.has(stage));
    for (const entry of coming) await this.add({ ...entry, imported });
    return [...new Set(coming.map(({ stage }) => stage))];
  }

  /** Current and earlier releases of a pipeline, by stage. */
  async standings({ name, stages }: StagesOfPipeline): Promise<Map<string, StagedRelease[]>> {
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

  /** By `PIPELINE/STAGE`. A release that is current at another site is kept there. */
  private async ownStandings(): Promise<[place: string, standings: StagedRelease[]][]> {
    const placeOf = ({ pipeline, stage }: PromotionEntry): string => stageName(pipeline, stage);
    const own = (await this.read(keys.promotions)).filter(({ imported }) => !imported);
    return [...new Set(own.map(placeOf))].map((place) => [
      place,
      standingsOf(own.filter((entry) => placeOf(entry) === place)),
    ]);
  }

  private async entry(key: string): Promise<PromotionEntry | undefined> {
    return await this.store.readJson(key, promotionEntry).catch(alteredAs('RELEASE_ALTERED'));
  }

  private async read(under: string): Promise<PromotionEntry[]> {
    const found = await keysUnder(this.store, under);
    const entries = await mapLimited(found, STORE_READS_AT_A_TIME, (key) => this.entry(key));
    return entries.filter((entry) => entry !== undefined);
  }

  /** A release is current in its first stage until the next one is created. */
  private async made(pipeline: string, stage: string): Promise<StagedRelease[]> {
    return (await this.releases())
      .filter(
        ({ pipeline: of, imported, source }) => of === pipeline && (!imported || source.stage === stage),
      )
      .sort((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt))
      .map(({ id, sha256, createdAt }) => ({
        release: id,
        sha256,
        verifiedAt: Date.parse(createdAt),
      }));
  }
}
