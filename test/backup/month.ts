import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Table from 'cli-table3';
import type { SnapshotView } from '../../src/contract/snapshots';
import { isPackaged, packageOf, packagesIn } from '../../src/model/snapshot/snapshot';
import { type RunRecord } from '../../src/model/run/run';
import { transportGroupId, transportTargetGroupId } from '../../src/simulator/seed/transport';
import { useClock } from '../../src/activities/attempt/heartbeat';
import type { RouteState } from '../../src/domain/snapshot/retention/route-state';
import { keys } from '../../src/store/keys';
import { type Client, signIn } from '../simulator/harness';
import { Site } from '../support/site';
import { typedIn } from '../support/typed-in';
import { type Edit, isOfGroup, makeEdit } from './edits';
import { type Holding, holdingsOf, holdingsOfPackage } from './holdings';
import { type Kept, keptByTheWords, type Rules } from './kept-by-the-words';
import { begin, comesTo, type Trouble } from './troubles';

export interface Night {
  readonly edits: readonly Edit[];
  readonly trouble?: Trouble;
  /** Somebody pins the last good snapshot in the morning. */
  readonly pins?: boolean;
}

/** How a night went. */
export interface Morning extends Night {
  readonly at: number;
  readonly record: RunRecord;
  readonly exports: number;
  /** Nights whose snapshots are there by the words of the README. */
  readonly kept: readonly string[];
  /** What is not as it should be. */
  readonly problems: readonly string[];
}

/** A snapshot as it should be. */
interface Expected extends Kept {
  isPinned: boolean;
  readonly version: number;
  readonly holdings: ReadonlyMap<string, Holding>;
}

interface Listed {
  readonly snapshots: readonly SnapshotView[];
  readonly routes: readonly RouteState[];
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** A schedule that backs a group up night by night, by the clock of its portal, and all that is expected of it. */
export class Month {
  readonly mornings: Morning[] = [];
  private readonly taken: Expected[] = [];
  /** Those that are there, since a run looked at the policy last. */
  private kept: readonly string[] = [];
  /** Of the group: each edit makes another one. */
  private version = 0;
  /** Some night has found the group as the last good snapshot has it. */
  private isConfirmed = false;
  private lastStart = 0;
  readonly typed = typedIn(() => this.at.folder);

  private constructor(
    readonly at: Site,
    private readonly client: Client,
    private readonly rules: Rules,
    private readonly firstNight: number,
    private readonly builds: boolean,
  ) {}

  /**
   * @param firstNight in the past, since no snapshot is younger than our own clock
   * @param full how often everything is exported; each time where it is not said. Nights pass in no time: never again
   */
  static async open(rules: Rules, firstNight: number, full?: string): Promise<Month> {
    const at = await Site.open({
      source: { clock: firstNight },
      config: {
        routes: {
          transport: {
            source: { portal: 'staging', group: transportGroupId },
            target: { portal: 'production', group: transportTargetGroupId },
            backup: { keep: rules, full },
          },
        },
        // It would be due at this minute; nobody waits for that.
        schedules: { nightly: { kind: 'backup', route: 'transport', cron: '0 3 29 2 *' } },
      },
    });
    const month = new Month(at, await signIn(at.source, 'owner'), rules, firstNight, full !== undefined);
    await month.typed.expectRun('schedule apply --yes', 0);
    return month;
  }

  /** Lets a night pass, and compares what is there in the morning with what should be. */
  async pass(night: Night): Promise<Morning> {
    const { source } = this.at;
    const at = this.firstNight + this.mornings.length * dayMs;
    source.setClock(at);
    // Snapshots are dated by Temporal's time.
    const since = Date.now();
    useClock(() => at + Date.now() - since);
    for (const edit of night.edits) await makeEdit(edit, (this.version += 1), this.client, source.world);
    const end = begin(night.trouble, source);
    const exportsBefore = this.at.asked('source', 'group.export');
    const holdings = await holdingsOf(source.world, isOfGroup);
    const record = await this.trigger();
    end();
    const exports = this.at.asked('source', 'group.export') - exportsBefore;
    const problems = [
      ...this.judgeRun(night, record, exports),
      ...(await this.judgeSnapshot(night, record, at, holdings)),
      ...(await this.judgeStore()),
    ];
    if (night.pins) await this.pin();
    const nights = this.kept.map((id) => dateOf(this.taken.find((one) => one.id === id)?.takenAt ?? 0));
    const morning = { ...night, at, record, exports, kept: nights, problems };
    this.mornings.push(morning);
    return morning;
  }

  /** Reads every snapshot that is there to its end. */
  async judgeBytes(): Promise<string[]> {
    const verified = await this.typed.run('snapshot verify --all');
    const problems = verified.status === 0 ? [] : [`snapshot verify ended ${verified.status}`];
    for (const id of this.kept) problems.push(...(await this.judgePackage(this.expected(id))));
    return problems;
  }

  table(): string {
    const head = ['night', 'what happened', 'run', 'exports', 'there in the morning'];
    const table = new Table({ head, style: { head: [], border: [] } });
    for (const { at, edits, trouble, pins, record, exports, kept } of this.mornings) {
      const what = [...edits.map((edit) => `${edit} edited`), trouble, pins && 'pinned'].filter(Boolean);
      const day = new Date(at).toUTCString().slice(0, 3);
      const there = kept.map((date) => date.slice(5)).join(' ');
      table.push([`${day} ${dateOf(at)}`, what.join(', ') || '-', record.status, exports, there]);
    }
    return table.toString();
  }

  close(): Promise<void> {
    useClock(() => Date.now());
    return this.at.close();
  }

  private get lastGood(): Expected | undefined {
    return this.taken.findLast(({ isGood }) => isGood);
  }

  private expected(id: string): Expected {
    const found = this.taken.find((one) => one.id === id);
    if (!found) throw new Error(`nobody took ${id}`);
    return found;
  }

  /** What the schedule starts, to its end. */
  private async trigger(): Promise<RunRecord> {
    // Temporal names what a schedule starts by the second.
    while (Date.now() - this.lastStart < 1_000) await sleep(20);
    const { runId } = await this.typed.json<{ runId: string }>('schedule trigger nightly');
    this.lastStart = Date.parse(runId.slice(-'2026-01-01T00:00:00Z'.length));
    return (await this.at.over(this.at.handle(runId))).record;
  }

  private judgeRun({ trouble }: Night, record: RunRecord, exports: number): string[] {
    const isChanged = this.version !== this.lastGood?.version;
    const expected = comesTo(trouble, isChanged, this.builds && this.lastGood !== undefined);
    const problems: string[] = [];
    if (record.status !== expected.status)
      problems.push(`the run ended ${record.status}, not ${expected.status}: ${record.error?.message ?? ''}`);
    if (expected.code !== undefined && record.error?.code !== expected.code)
      problems.push(`the run ended with ${record.error?.code ?? 'no error'}, not ${expected.code}`);
    if (record.kind !== 'backup' || record.scheduledBy !== 'nightly' || record.target !== 'untouched')
      problems.push(`the run is a ${record.kind} of ${record.scheduledBy}, target ${record.target}`);
    if (exports !== expected.exports) problems.push(`${exports} exports, not ${expected.exports}`);
    const { packages } = this;
    if (packages.length > 0) problems.push(`packages stayed: ${packages.join()}`);
    return problems;
  }

  private get packages(): string[] {
    return this.at.packages();
  }

  private async judgeSnapshot(
    { trouble }: Night,
    record: RunRecord,
    at: number,
    holdings: ReadonlyMap<string, Holding>,
  ): Promise<string[]> {
    const { snapshot, status } = record;
    if (status === 'nothing-to-do' && trouble !== 'the group is empty') {
      this.isConfirmed = true;
      const same = snapshot?.unchanged && snapshot.id === this.lastGood?.id;
      return same ? [] : [`an unchanged night names ${snapshot?.id ?? 'no snapshot'}`];
    }
    if (status !== 'succeeded' && status !== 'partial')
      return snapshot ? [`a night that ended ${status} names ${snapshot.id}`] : [];
    const id = snapshot?.id ?? '';
    const manifest = await this.at.snapshots.read(id);
    const takenAt = Date.parse(manifest.takenAt);
    const isGood = status === 'succeeded';
    const fresh = { id, takenAt, isGood, isPinned: false, version: this.version, holdings };
    this.taken.push(fresh);
    if (isGood) this.isConfirmed = false;
    this.kept = keptByTheWords(this.taken, this.rules);
    const problems = takenAt >= at && takenAt < at + hourMs ? [] : [`${id} is of ${manifest.takenAt}`];
    if (manifest.complete !== isGood) problems.push(`${id} is ${isGood ? 'not ' : ''}complete`);
    const rows = new Map((await this.at.snapshots.rowsOf(manifest)).map((row) => [row.itemId, row]));
    if (rows.size !== holdings.size) problems.push(`${id} has ${rows.size} rows, not ${holdings.size}`);
    const { services } = this.at.source.world;
    for (const { item } of holdings.values()) {
      const row = rows.get(item.id);
      if (row?.modified !== item.modified) problems.push(`${id} has another time for ${item.id}`);
      // Of what no portal exports, such as views, the layers are not looked at.
      if (row?.saved === 'no') continue;
      const service = services.find(({ itemId }) => itemId === item.id);
      for (const layer of service ? [...service.layers, ...service.tables] : []) {
        const noted = row?.layers?.find(({ layerId }) => layerId === layer.id);
        if (noted?.lastEditDate !== layer.lastEditDate || noted?.count !== layer.count)
          problems.push(`${id} has other edits in layer ${layer.id} of ${item.id}`);
      }
    }
    return [...problems, ...(await this.judgePackage(fresh))];
  }

  /** Whether its packages hold what its group held in its night, byte for byte. */
  private async judgePackage({ id, isGood, holdings }: Expected): Promise<string[]> {
    const manifest = await this.at.snapshots.read(id);
    const items = (await this.at.snapshots.rowsOf(manifest)).filter(isPackaged);
    const packed: Awaited<ReturnType<typeof holdingsOfPackage>> = new Map();
    for (const each of packagesIn(manifest)) {
      const held = await holdingsOfPackage(path.join(this.at.folder, 'store', each.key));
      // Where the answer to an export was lost, its lists are: what is presumed in its package may not be.
      const its = items.filter(
        (row) => packageOf(manifest, row) === each && (row.saved !== 'presumed' || held.has(row.itemId)),
      );
      for (const { itemId } of its) packed.set(itemId, held.get(itemId)!);
    }
    const problems = [...packed].flatMap(([itemId, { data, rows }]) => {
      const held = holdings.get(itemId);
      const same = held?.data === data && JSON.stringify(held.rows) === JSON.stringify(rows);
      return same ? [] : [`${id} does not hold ${itemId} as it was in its night`];
    });
    // The dashboard and the view are of no kind that portals export.
    if (isGood && packed.size !== holdings.size - 2)
      problems.push(`${id} holds ${packed.size} of ${holdings.size} items`);
    return problems;
  }

  /** Whether what is there, and what is told of it, is what should be. */
  private async judgeStore(): Promise<string[]> {
    const before = Date.now();
    const { snapshots, routes } = await this.typed.json<Listed>('snapshot list');
    const after = Date.now();
    const problems: string[] = [];
    const there = snapshots.map(({ id }) => id).reverse();
    if (there.join() !== this.kept.join())
      problems.push(`there are ${there.join(' ')}, and should be ${this.kept.join(' ')}`);
    const { lastGood } = this;
    const told = routes.find(({ route }) => route === 'transport')?.lastGood;
    if (told?.id !== lastGood?.id)
      problems.push(`the last good is ${lastGood?.id ?? 'none'}, and ${told?.id ?? 'none'} is told`);
    if ((told?.confirmedAt !== undefined) !== this.isConfirmed)
      problems.push(`the last good is confirmed at ${told?.confirmedAt ?? 'no time'}`);
    if (told && lastGood) {
      const held = this.isConfirmed ? Date.parse(told.confirmedAt ?? '') : lastGood.takenAt;
      if (told.ageMs < before - held || told.ageMs > after - held)
        problems.push(`the last good is ${told.ageMs} ms old`);
    }
    const stored: string[] = [];
    for await (const key of this.at.store.list(keys.snapshots)) if (key.endsWith('.epk')) stored.push(key);
    const kept = await Promise.all(this.kept.map((id) => this.at.snapshots.read(id)));
    const named = new Set(kept.flatMap((manifest) => packagesIn(manifest).map(({ key }) => key)));
    if (stored.length !== named.size) problems.push(`${stored.length} packages are stored`);
    return problems;
  }

  private async pin(): Promise<void> {
    const { lastGood } = this;
    if (!lastGood) return;
    await this.at.snapshots.pin(lastGood.id, { at: new Date().toISOString(), who: 'test' });
    lastGood.isPinned = true;
  }
}
