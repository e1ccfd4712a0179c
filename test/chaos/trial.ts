import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PhaseName } from '../../src/model/run/phase';
import type { RunRecord } from '../../src/model/run/run';
import type { Kill } from './kills';
import type { Moment } from './moments';
import type { Seen } from './promises';
import type { Site } from './site';
import { until } from './until';

/** A run that was over before anybody struck. */
export class MissedMoment extends Error {}

/** One run that met a kill, or several. */
export interface Trial {
  readonly kill: Kill;
  readonly moment: Moment;
  readonly record: RunRecord;
  /** Where each kill found the run; `undefined` where it came before the first phase or after the last. */
  readonly struckIn: readonly (PhaseName | undefined)[];
  /** Codes with which it was parked, each of which was followed by the command that the run named. */
  readonly parked: readonly string[];
  /** From the return of what was killed until the run asked a portal or wrote its record. @format milliseconds */
  readonly recoveries: readonly number[];
  /** What was promised and is not so. */
  readonly problems: readonly string[];
}

/** What kind of run is tried: how one is started, and what is promised of it. */
export interface Scenario {
  /** What has to be so before anything is armed. */
  readonly prepare?: (site: Site, moment: Moment) => Promise<void>;
  /** Ids of items that somebody edits before each, besides the one that is always edited. @default none */
  readonly touches?: readonly string[];
  /** In how many packages it goes: the phases that make one, and those that import one, are walked once for each. @default 1 */
  readonly packages?: number;
  /** Returns the run's id. */
  readonly begin: (site: Site, moment: Moment) => Promise<string>;
  /** What was promised and is not so, a sentence each. */
  readonly problemsOf: (site: Site, record: RunRecord, seen: Seen) => Promise<string[]>;
}

/** A run that needs more commands than this will not end. */
const resumesMax = 3;
/** Reasons to park for a run that was killed while it posted. */
const undecided = ['EXPORT_UNDECIDED', 'IMPORT_UNDECIDED'];
const posting: readonly (PhaseName | undefined)[] = ['export', 'safeguard', 'import'];
/** The same, where what is known of a later package's post is the last phase that had begun by then. */
const postingAgain: typeof posting = [...posting, 'download', 'wait-import'];

/** Between two polls of a job, at first. @format milliseconds */
const pollMs = 1_000;

/** What was asked over both wires of a site so far. */
export const crossings = (site: Site): number =>
  site.wire('source').crossings.length + site.wire('target').crossings.length;

/**
 * Starts a run, kills at a moment of it, brings back what was killed, and sees the run to its end.
 * @param requests of a run that nobody disturbs
 */
export async function trial(
  site: Site,
  kill: Kill,
  moment: Moment,
  requests: number,
  scenario: Scenario,
): Promise<Trial> {
  await site.staffWith(kill.staff);
  await scenario.prepare?.(site, moment);
  const mark = await site.mark(scenario.touches);
  const strikes = new Strikes(site, kill);
  const caught =
    'side' in moment.at
      ? strikes.at(moment.at)
      : 'store' in moment.at
        ? strikes.when(moment.at.store(storeFolder(site)))
        : undefined;
  const before = crossings(site);
  const runId = await scenario.begin(site, moment);
  const recoveries: number[] = [];
  const comeBack = async (): Promise<void> => {
    await kill.bringBack(site);
    if ('waits' in moment.at) await approve(site, runId);
    const backAt = Date.now();
    const sign = await firstSign(site, runId, backAt);
    if (sign !== undefined) recoveries.push(sign - backAt);
  };

  if ('chances' in moment.at) {
    for (const { share, pause } of moment.at.chances) {
      const from = strikes.times.length === 0 ? before : crossings(site);
      await until(() => crossings(site) - from >= share * requests || isOver(site, runId));
      await sleep(pause * pollMs);
      if (isOver(site, runId)) break;
      strikes.now();
      await comeBack();
    }
  } else {
    if (caught)
      await Promise.race([caught, failAtTheEnd(site, runId, moment)]).finally(() => strikes.watchNoMore());
    else {
      await site.waits(runId);
      strikes.now();
    }
    await comeBack();
  }

  const parked: string[] = [];
  const importsBefore: number[] = [];
  let record = await ended(site, runId);
  // A resume begins phases anew, and with them their times.
  const { packages = 1 } = scenario;
  const seenIn = strikes.times.map((at) => phaseAt(record, at));
  // A phase that is walked again keeps the time of its first beginning, which tells nothing of a second package.
  const struckIn = packages > 1 && moment.phase ? seenIn.with(0, moment.phase) : seenIn;
  while (record.parked !== undefined && parked.length < resumesMax) {
    parked.push(record.parked.code);
    importsBefore.push(mark.imports());
    const [program, ...args] = (record.parked.commands[0] ?? '').split(' ');
    if (program !== 'portolan') throw new Error(`not a command of ours: ${record.parked.commands.join()}`);
    await site.type(...args);
    record = await ended(site, runId);
  }
  const problems = await scenario.problemsOf(site, record, { mark, importsBefore });
  if (moment.phase !== undefined && struckIn[0] !== moment.phase)
    problems.push(`was struck in ${struckIn[0] ?? 'no phase'}, not in ${moment.phase}`);
  const mayPark = struckIn.some((phase) => (packages > 1 ? postingAgain : posting).includes(phase));
  for (const code of parked)
    if (!mayPark || !undecided.includes(code))
      problems.push(`parked with ${code}, struck in ${struckIn.join()}`);
  return { kill, moment, record, struckIn, parked, recoveries, problems };
}

/** The kills of one trial, and when they happened. */
class Strikes {
  readonly times: number[] = [];
  private isWatching = true;

  constructor(
    private readonly site: Site,
    private readonly kill: Kill,
  ) {}

  now(): void {
    this.times.push(Date.now());
    this.kill.strike(this.site);
  }

  /** Resolves once it was struck there. */
  at({ side, ...trap }: Extract<Moment['at'], { side: unknown }>): Promise<void> {
    return new Promise((resolve) =>
      this.site.wire(side).arm(trap, () => {
        this.now();
        resolve();
      }),
    );
  }

  /** Resolves once it was struck since that was so. */
  async when(isSo: () => boolean): Promise<void> {
    while (this.isWatching && existsSync(this.site.folder) && !isSo()) await sleep(1);
    if (this.isWatching) this.now();
  }

  /** The store is looked at no longer: whatever comes there now is another run's. */
  watchNoMore(): void {
    this.isWatching = false;
  }
}

const storeFolder = (site: Site): string => path.join(site.folder, 'var', 'store');

async function approve(site: Site, runId: string): Promise<void> {
  const hash = (await site.show(runId)).plan?.hash ?? '';
  await site.type('run', 'approve', runId, '--plan', hash);
}

/** Resolves when the run is parked or over, with its record as the command line has it. */
async function ended(site: Site, runId: string): Promise<RunRecord> {
  const { status, stdout, stderr } = await site.run('run', 'watch', runId, '-o', 'json');
  if (stdout === '') throw new Error(`run watch ${runId} ended ${status}: ${stderr}`);
  return JSON.parse(stdout) as RunRecord;
}

/** When the run first did something after that time; `undefined` where nothing was left to do. */
async function firstSign(site: Site, runId: string, after: number): Promise<number | undefined> {
  let sign: number | undefined;
  await until(() => {
    const times = [...site.wire('source').crossings, ...site.wire('target').crossings].map(({ at }) => at);
    times.push(statSync(recordFile(site, runId), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const later = times.filter((at) => at > after);
    if (later.length > 0) sign = Math.min(...later);
    return sign !== undefined || isOver(site, runId);
  });
  return sign;
}

const recordFile = (site: Site, runId: string): string => path.join(site.runFolder(runId), 'record.json');

/** By its record in the store: nothing of it is still to be done. So it is where the site is closed. */
function isOver(site: Site, runId: string): boolean {
  if (!existsSync(site.folder)) return true;
  const file = recordFile(site, runId);
  if (!statSync(file, { throwIfNoEntry: false })) return false;
  const { content } = JSON.parse(readFileSync(file, 'utf8')) as { content: RunRecord };
  return content.finishedAt !== undefined;
}

async function failAtTheEnd(site: Site, runId: string, { when }: Moment): Promise<never> {
  await until(() => isOver(site, runId));
  throw new MissedMoment(`${runId} was over before the moment "${when}"`);
}

/** The last phase that had begun by then, unless the run was over. */
function phaseAt({ phases, finishedAt }: RunRecord, at: number): PhaseName | undefined {
  if (finishedAt !== undefined && Date.parse(finishedAt) < at) return undefined;
  return phases.findLast(({ startedAt }) => startedAt !== undefined && Date.parse(startedAt) <= at)?.name;
}
