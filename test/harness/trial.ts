import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PhaseName } from '../../src/model/run/phase';
import type { RunRecord } from '../../src/model/run/run';
import { openSnapshots } from '../../src/domain/snapshot/snapshots';
import { mapLimited } from '../../src/model/map-limited';
import { type Blow, blows } from './blows';
import { harmed } from './harmed';
import type { Kind } from './kinds';
import { Lookout } from './lookout';
import { look, type Seen } from './look';
import { asksAt, type Call, callsOf, isPost, type Moment, titleOf, writing } from './moments';
import { type Pair, type Side, sides } from './pair';
import type { Trap } from './wire';
import { isStored, World } from './world';

/** A run that no one disturbs: what it calls, and what is seen after it. */
export interface Twin {
  readonly calls: readonly Call[];
  readonly seen: Seen;
  readonly record: RunRecord;
  /** Files that it left in the store. */
  readonly files: readonly string[];
  readonly canAsk: boolean;
  /** The most memory of its worker. @format bytes */
  readonly peak: number;
}

/** Runs side by side on one worker. */
const BATCH = Number(process.env['PORTOLAN_HARNESS_BATCH'] ?? 12);
/** Cells to try, as `a sync: kill -9 of worker: target import 1 received, in import`. */
const ONLY = new RegExp(process.env['PORTOLAN_HARNESS_ONLY'] ?? '');
/** A run that needs more commands than this does not end. */
const RESUMES_MAX = 6;
const undecided: ReadonlySet<string> = new Set(['EXPORT_UNDECIDED', 'IMPORT_UNDECIDED']);
/** Phases in which a request may be lost that cannot be repeated. */
const posting: ReadonlySet<PhaseName | undefined> = new Set(['export', 'safeguard', 'import']);

const MISSED = 'ended before the moment';
const LANES = 3;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** One kind of run, with its twin, and all that befalls it. */
export class Trials {
  private constructor(
    readonly world: World,
    readonly twin: Twin,
  ) {}

  /** Worlds for moments that only one run at a time can have, since nothing holds it there. */
  private lanes: World[] = [];

  static async open(kind: Kind): Promise<Trials> {
    const world = await World.open(kind);
    try {
      const [pair] = await world.add(1, 'worker');
      const from = crossingsOf(pair!);
      const before = new Set(world.stored());
      const runId = await world.begin(...kind.begin(pair!, false));
      const record = await world.ended(runId);
      const seen = await lookWhenQuiet(world, pair!, record);
      const files = world.stored().filter((file) => !before.has(file) && isStored.test(file));
      const calls = callsOf(pair!, record, from);
      const peak = await world.peak();
      const twin = { calls, seen, record, files, canAsk: kind.canAsk === true, peak };
      await world.closePairs([pair!]);
      return new Trials(world, twin);
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const world of [this.world, ...this.lanes]) await world.close();
  }

  /** Strikes a run at each moment. @returns what differs from the twin, a line each */
  async struck(blow: Blow, moments: readonly Moment[]): Promise<string[]> {
    const { kind } = this.world;
    const chosen = moments.filter((moment) => ONLY.test(`${kind.title}: ${blow.title}: ${titleOf(moment)}`));
    const held = chosen.filter((moment) => !('file' in moment || 'wire' in moment));
    const wrong: string[] = [];
    for (const moment of chosen)
      if ('wire' in moment) wrong.push(...(await this.batch(this.world, blow, [moment])));
    while (held.length > 0) wrong.push(...(await this.batch(this.world, blow, held.splice(0, BATCH))));
    const files = chosen.filter((moment) => 'file' in moment);
    if (files.length > 0 && this.lanes.length === 0)
      for (let lane = 0; lane < LANES; lane += 1) this.lanes.push(await World.open(kind));
    await Promise.all(
      this.lanes.map(async (world) => {
        for (let next = files.shift(); next; next = files.shift()) {
          let lines = await this.batch(world, blow, [next]);
          // A busy machine may see the store too seldom.
          for (let tries = 1; tries < 3 && lines[0]?.endsWith(MISSED); tries += 1)
            lines = await this.batch(world, blow, [next]);
          wrong.push(...lines);
        }
      }),
    );
    return wrong;
  }

  /**
   * Runs through storms, so many at a time on one worker. @param seen is told how many are over
   * @returns what differs from the twin, a line each
   */
  async weathered(
    storms: readonly Moment[],
    atATime: number,
    seen: (over: number) => Promise<void>,
  ): Promise<string[]> {
    const { world, twin } = this;
    const pairs = await world.add(storms.length, 'worker');
    const cells = pairs.map((pair, index) => new Cell(world, pair, storms[index]!, blows.none));
    const wrong: string[] = [];
    let over = 0;
    await mapLimited(cells, atATime, async (cell) => {
      const lines = await cell
        .begin()
        .then(() => cell.end(twin))
        .catch((error: unknown) => [String(error)]);
      wrong.push(...linesOf(cell, lines));
      await seen((over += 1));
    });
    return wrong;
  }

  private async batch(world: World, blow: Blow, moments: readonly Moment[]): Promise<string[]> {
    const began = Date.now();
    const pairs = await world.add(moments.length, blow.staff);
    const lookout = world.kind.watchesSnapshots ? new Lookout(openSnapshots(world.config)) : undefined;
    const cells = pairs.map((pair, index) => new Cell(world, pair, moments[index]!, blow));
    await Promise.all(cells.map((cell) => cell.begin()));
    await Promise.all(cells.map((cell) => cell.arrived()));
    await Promise.all(cells.map((cell) => cell.answer()));
    await blow.strike(world, pairs);
    for (const cell of cells) cell.release();
    await blow.bringBack(world, pairs);
    if (blow.again) {
      await someCalls(pairs, blow.again());
      await blow.strike(world, pairs);
      await blow.bringBack(world, pairs);
    }
    const lines = await Promise.all(cells.map(async (cell) => linesOf(cell, await cell.end(this.twin))));
    const wrong = [...lines.flat(), ...((await lookout?.end()) ?? [])];
    await world.closePairs(pairs);
    const seconds = Math.round((Date.now() - began) / 1000);
    say(`${world.kind.title}, ${blow.title}: ${moments.map(titleOf).join('; ')}: ${seconds} s`);
    for (const line of wrong) say(`  WRONG  ${line}`);
    return wrong;
  }
}

function linesOf({ moment }: Cell, lines: readonly string[]): string[] {
  return lines.map((line) => `${titleOf(moment)}: ${line}`);
}

/** Resolves when the runs have made so many calls more, or stand still. */
async function someCalls(pairs: readonly Pair[], count: number): Promise<void> {
  const made = (): number =>
    pairs.reduce((sum, { wires }) => sum + wires.source.crossings.length + wires.target.crossings.length, 0);
  const enough = made() + count;
  for (let looks = 0; made() < enough && looks < 600; looks += 1) await sleep(50);
}

const crossingsOf = ({ wires }: Pair): Record<Side, number> => ({
  source: wires.source.crossings.length,
  target: wires.target.crossings.length,
});

/** Something that happens once. */
class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => (this.give = resolve));
}

/** One run that is struck at one moment. */
class Cell {
  private runId = '';
  private started = Promise.resolve();
  private readonly arrival = new Signal();
  private readonly go = new Signal();
  private readonly heard = new Signal();
  private missed = false;

  constructor(
    private readonly world: World,
    private readonly pair: Pair,
    readonly moment: Moment,
    private readonly blow: Blow,
  ) {
    if ('unheard' in moment) {
      for (const side of sides) pair.wires[side].loseResponses(writing);
      this.arrival.give();
    }
    if ('harm' in moment) pair.wires[moment.harm.side ?? 'source'].replies = moment.harm.replies;
    if ('storm' in moment) for (const { side, rule } of moment.storm) pair[side].faults.add(rule);
    if ('storm' in moment || 'harm' in moment || 'beside' in moment) this.arrival.give();
    if ('wire' in moment) moment.wire.arm({ ...moment.trap, ...this.springs() });
    if ('call' in moment)
      pair.wires[moment.call.side].arm({ ...moment.call, point: moment.point, ...this.springs() });
  }

  private springs(): Pick<Trap, 'spring' | 'heard'> {
    return {
      spring: async (response) => {
        this.arrival.give();
        if (this.blow.cuts) response.destroy();
        else await this.go.given;
      },
      heard: () => this.heard.give(),
    };
  }

  async begin(): Promise<void> {
    const { moment, world } = this;
    if ('file' in moment) void this.watch(moment);
    if ('harm' in moment) await moment.harm.furnish?.(this.pair);
    this.started = this.start();
    // A command whose server is struck ends when that is back.
    if (!('wire' in moment)) await this.started;
    if ('waits' in moment)
      void world.reached(this.runId, isAsking).then(
        () => this.arrival.give(),
        () => undefined,
      );
  }

  private async start(): Promise<void> {
    const { moment, pair, world } = this;
    this.runId = await world.begin(...world.kind.begin(pair, asksAt(moment)));
    if (asksAt(moment) && !('waits' in moment)) await this.approve();
  }

  private async approve(): Promise<void> {
    const { plan } = await this.world.reached(this.runId, isAsking);
    await this.world.typed('run', 'approve', this.runId, '--plan', plan?.hash ?? '');
  }

  private async watch({ file, is, nth = 1 }: Extract<Moment, { file: RegExp }>): Promise<void> {
    const matching = (): string[] => this.world.stored().filter((name) => file.test(name));
    const before = new Set(matching());
    const isThere = (): boolean => {
      const now = matching();
      return is === 'written'
        ? now.filter((name) => !before.has(name)).length >= nth
        : [...before].some((name) => !now.includes(name));
    };
    while (!this.missed && !isThere()) await sleep(1);
    this.arrival.give();
  }

  /** Resolves at the moment, or when the run has ended without. */
  async arrived(): Promise<void> {
    this.missed = await Promise.race([this.arrival.given.then(() => false), this.isOver()]);
  }

  private async isOver(): Promise<true> {
    const { world, pair, moment } = this;
    await this.started;
    const isDone = ({ finishedAt, parked }: RunRecord): boolean => Boolean(finishedAt ?? parked);
    const record = await world.reached(this.runId, isDone);
    if (record.finishedAt === undefined) return true;
    // Who is notified of its end hears of it after the record says so.
    await world.closed(this.runId);
    // Messages can be sent after that.
    if ('wire' in moment) await lookWhenQuiet(world, pair, record);
    return true;
  }

  /** Sends the response at whose arrival the run is struck. */
  async answer(): Promise<void> {
    if (this.missed || !('call' in this.moment) || this.moment.point !== 'answered') return;
    this.go.give();
    await this.heard.given;
  }

  /** Lets a held request continue. */
  release(): void {
    this.go.give();
  }

  /** Sees the run to its end. @returns what differs from the twin */
  async end(twin: Twin): Promise<string[]> {
    const { world, pair, moment, blow } = this;
    if (this.missed) return [MISSED];
    await this.started;
    const { runId } = this;
    if ('waits' in moment) await this.approve();
    const parks: string[] = [];
    let record = await world.ended(runId);
    if ('harm' in moment) return await harmed(world, moment.harm, record, twin.peak);
    while (record.status === 'parked' && record.parked && parks.length < RESUMES_MAX) {
      const { code, commands, count } = record.parked;
      parks.push(code);
      // A promotion names its rollback first.
      const command = commands.find((each) => each.startsWith('portolan run resume ')) ?? '';
      const [program, ...args] = command.split(' ');
      if (program !== 'portolan') return [`parked with ${code} and cannot be resumed`];
      await world.typed(...args);
      record = await world.ended(runId, count);
    }
    if (world.kind.mayEnd?.some((code) => endCodes(record).includes(code))) {
      // No one is asked: the next run begins anew.
      const next = await world.ended(await world.begin(...world.kind.begin(pair, false)));
      const { portals, snapshots, left } = await lookWhenQuiet(world, pair, next);
      return [
        ...differ('status', next.status, twin.record.status),
        ...differ('portals', portals, twin.seen.portals),
        ...(next.groups ? differ('snapshots', snapshots, twin.seen.snapshots) : []),
        ...left.map((each) => `left ${each}`),
      ];
    }
    const seen = await lookWhenQuiet(world, pair, record);
    if ('unheard' in moment) {
      const heard = twin.calls.filter(
        ({ side, operation, writes }) => writes && !pair.wires[side].lost.has(operation),
      );
      if (heard.length > 0) return heard.map(({ side, operation }) => `${side} ${operation} was heard`);
    }
    const more = world.kind.savesAgain ? parks.length : 0;
    const snapshots = seen.snapshots.slice(
      0,
      Math.max(twin.seen.snapshots.length, seen.snapshots.length - more),
    );
    const course = { moment, parks, isStruckAgain: blow.again !== undefined };
    return differences({ ...seen, snapshots }, twin.seen, course);
  }
}

/** Why a run ended badly, and its child runs. */
const endCodes = ({ error, children = [] }: RunRecord): (string | undefined)[] => [
  error?.code,
  ...children.map(({ reason }) => reason?.split(':')[0]),
];

const isAsking = ({ status }: RunRecord): boolean => status === 'waiting';

/** Parts and portal queues end a moment after the run; a worker that takes over an activity waits for a heartbeat. */
export async function lookWhenQuiet(world: World, pair: Pair, record: RunRecord): Promise<Seen> {
  const parts = (record.children ?? []).map(({ runId }) => runId);
  for (let looks = 1; ; looks += 1) {
    const seen = await look(world, pair, record, parts);
    if (seen.left.length === 0 || looks === 60) return seen;
    await sleep(500);
  }
}

interface Course {
  readonly moment: Moment;
  readonly parks: readonly string[];
  readonly isStruckAgain: boolean;
}

/** What was promised and is not so. */
function differences(seen: Seen, twin: Seen, { moment, parks, isStruckAgain }: Course): string[] {
  const most = (what: string): number =>
    (twin.counts[what] ?? 0) + parks.length + (what === 'approve' && asksAt(moment) ? 1 : 0);
  const twice = Object.entries(seen.counts).filter(([what, times]) => times > most(what));
  const mayPark =
    isStruckAgain ||
    'storm' in moment ||
    ('call' in moment && (isPost(moment.call) || posting.has(moment.call.phase)));
  return [
    ...differ('outcome', seen.outcome, twin.outcome),
    ...differ('portals', seen.portals, twin.portals),
    ...differ('snapshots', seen.snapshots, twin.snapshots),
    ...(parks.length === 0 ? differ('store', seen.store, twin.store) : []),
    ...twice.map(([what, times]) => `made ${what} ${times} times`),
    ...(seen.imports > twin.imports + parks.length ? [`sent ${seen.imports} imports`] : []),
    ...parks.filter((code) => !mayPark || !undecided.has(code)).map((code) => `parked with ${code}`),
    ...seen.left.map((each) => `left ${each}`),
    // A worker that is killed may know less than the portal holds.
    ...('storm' in moment ? seen.partsAgain.map((part) => `sent ${part} again`) : []),
  ];
}

/** Where two values differ, by path. */
function differ(what: string, is: unknown, was: unknown): string[] {
  if (isDeepStrictEqual(is, was)) return [];
  if (typeof is === 'object' && typeof was === 'object' && is !== null && was !== null) {
    const names = new Set([...Object.keys(is), ...Object.keys(was)]);
    const at = (value: object, name: string): unknown => (value as Record<string, unknown>)[name];
    const all = [...names].flatMap((name) => differ(`${what}.${name}`, at(is, name), at(was, name)));
    return all.length > 5 ? [...all.slice(0, 5), `${what}: ${all.length} differences`] : all;
  }
  return [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(was)}`];
}
