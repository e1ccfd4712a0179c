import type { Actions } from './actions';
import type { Finding } from './finding-runs';
import type { Nights } from './nights';
import type { Comparing } from './comparing';
import { LINE_RATE } from './line';
import type { Contest, Transfers } from './transfers';

/** What is promised; `npm run bench` ends with 1 where less comes out. */
export const promises = {
  /** Our rate, at the least, as a part of what curl has with its answer piped through sha256sum. */
  download: 0.95,
  /** The same of curl that sends the whole file in one request, of which a portal has less work. */
  upload: 0.6,
  /** The same of curl that sends the same parts, as many at a time. */
  uploadInParts: 0.95,
  /**
   * Our time for both directions at once, at the most, as a part of what the slower of curl's two takes alone. Over
   * limited lines only: over loopback both share processors and disk, so that depends on the machine.
   */
  both: 1.2,
  /** Growth of the process that transfers over its idle, whatever the size of the package. @format bytes */
  growth: 100 * 1024 ** 2,
  /** What a night on which five of a thousand items were edited may move, as a part of the first sync. */
  nightBytes: 0.02,
  /** The same of requests to both portals. */
  nightRequests: 0.15,
  /** What the plan of such a night may take of it, contents compared. */
  comparison: 0.1,
  /** What the JSON of items adds to what thirty nights of backups keep without it. */
  keptJson: 0.05,
  /** How much longer a night on which nobody touched anything may take than curl takes to list both groups. */
  quietNight: 3,
  /** Comparing two maps of 10 MB. @format milliseconds */
  comparedWithin: 2_000,
  /** How much longer it takes to find one run among all, at the most, than among a hundred. */
  found: 20,
  /** However many there are. @format milliseconds */
  foundWithin: 500,
  /** The same of a page. @format milliseconds */
  shownWithin: 300,
  /** Actions of Temporal Cloud that a sync costs which nothing disturbs, and which overwrites nothing. */
  actions: 55,
  /** Looks at a job in an hour. */
  looks: 60,
} as const;

/** A line of the table, in words for people. `kept` is undefined where nothing is promised, or nothing measured. */
export interface Line {
  readonly what: string;
  readonly ours: string;
  readonly against: string;
  readonly ratio: string;
  readonly promised: string;
  readonly kept?: boolean;
}

export interface Measured {
  /** Size of the package. */
  readonly bytes: number;
  readonly transfers: Transfers;
  readonly syncs: { readonly ms: number; readonly jobsMs: number };
}

/** The table's lines, in order. */
export function lines({ bytes, transfers: { down, up, both, limited, grown }, syncs }: Measured): Line[] {
  const rates = (what: string, against: string, { ours, curl }: Contest, least: number): Line =>
    rateLine({ what, against, bytes, ours, curl, least });
  const inParts = { ours: up.ours, curl: up.curlInParts };
  return [
    rates('download with hash', 'curl | sha256sum', down, promises.download),
    rates('upload', 'curl, in one request', up, promises.upload),
    rates('upload', 'curl, the same parts', inParts, promises.uploadInParts),
    bothLine(
      `both at once, ${formatBytes(LINE_RATE)}/s each`,
      limited.both,
      limited.curlDown,
      limited.curlUp,
    ),
    { ...bothLine('both at once, over loopback', both, down.curl, up.curl), promised: '', kept: undefined },
    growthLine('memory of a download', grown.down),
    growthLine('memory of an upload', grown.up),
    growthLine('memory of both at once', grown.both),
    {
      what: 'a whole sync',
      ours: seconds(syncs.ms),
      against: `jobs ${seconds(syncs.jobsMs)}`,
      ratio: (syncs.ms / syncs.jobsMs).toFixed(2),
      promised: '',
    },
  ];
}

/** A line for each look; it is kept where it is quick enough, or not much slower than among few. */
export const findingLines = ({ records, executions, looks }: Finding): Line[] =>
  looks.map(({ what, few, many }) => {
    const within = what.startsWith('page ') ? promises.shownWithin : promises.foundWithin;
    return {
      what: `${what}, ${records} records, ${executions} in Temporal`,
      ours: milliseconds(many),
      against: `among 100 ${milliseconds(few)}`,
      ratio: (many / few).toFixed(1),
      promised: `below ${milliseconds(within)} or ${promises.found} times`,
      kept: many < within || many / few < promises.found,
    };
  });

/** How long the largest maps take to be compared. */
export const comparingLine = ({ bytes, ms }: Comparing): Line => ({
  what: `comparing two maps of ${formatBytes(bytes)}`,
  ours: milliseconds(median(ms)),
  against: '',
  ratio: '',
  promised: `below ${milliseconds(promises.comparedWithin)}`,
  kept: median(ms) < promises.comparedWithin,
});

/** A line for each thing that a night costs. */
export function nightLines({
  items,
  first,
  edited,
  untouched: { ms, listings, writes },
  kept,
}: Nights): Line[] {
  const part = (
    what: string,
    ours: number,
    of: number,
    most: number,
    words: (n: number) => string,
  ): Line => ({
    what: `${what}, 5 of ${items} items edited`,
    ours: words(ours),
    against: `the first sync ${words(of)}`,
    ratio: (ours / of).toFixed(3),
    promised: `at most ${most}`,
    kept: ours / of <= most,
  });
  const quiet = median(ms) / median(listings);
  return [
    part('bytes of a night', edited.bytes, first.bytes, promises.nightBytes, (n) => `${n} bytes`),
    part('requests of a night', edited.requests, first.requests, promises.nightRequests, String),
    {
      what: `plan and comparison in a night, 5 of ${items} items edited`,
      ours: milliseconds(edited.planMs),
      against: `the whole night ${milliseconds(edited.ms)}`,
      ratio: (edited.planMs / edited.ms).toFixed(3),
      promised: `at most ${promises.comparison}`,
      kept: edited.planMs / edited.ms <= promises.comparison,
    },
    {
      what: `a night without an edit over a line of 50 ms, ${writes} writes`,
      ours: milliseconds(median(ms)),
      against: `curl lists both ${milliseconds(median(listings))}`,
      ratio: quiet.toFixed(2),
      promised: `at most ${promises.quietNight}, no write`,
      kept: quiet <= promises.quietNight && writes === 0,
    },
    {
      what: `JSON of ${items} items in ${kept.nights} nights of backups`,
      ours: `${kept.json} bytes`,
      against: `all else of them ${kept.rest} bytes`,
      ratio: (kept.json / kept.rest).toFixed(3),
      promised: `at most ${promises.keptJson}`,
      kept: kept.json / kept.rest <= promises.keptJson,
    },
  ];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export const formatBytes = (bytes: number): string =>
  bytes >= 1024 ** 3 ? `${(bytes / 1024 ** 3).toFixed(1)} GB` : `${Math.round(bytes / 1024 ** 2)} MB`;

function rateLine({
  what,
  against,
  bytes,
  ours,
  curl,
  least,
}: Contest & { what: string; against: string; bytes: number; least: number }): Line {
  const rate = (times: readonly number[]): string => `${formatBytes((bytes * 1000) / median(times))}/s`;
  const ratio = median(curl) / median(ours);
  return {
    what,
    ours: rate(ours),
    against: `${against}: ${rate(curl)}`,
    ratio: ratio.toFixed(2),
    promised: `at least ${least}`,
    kept: ratio >= least,
  };
}

function bothLine(
  what: string,
  ours: readonly number[],
  down: readonly number[],
  up: readonly number[],
): Line {
  const slower = Math.max(median(down), median(up));
  const ratio = median(ours) / slower;
  return {
    what,
    ours: seconds(median(ours)),
    against: `the slower of curl's two: ${seconds(slower)}`,
    ratio: ratio.toFixed(2),
    promised: `at most ${promises.both}`,
    kept: ratio <= promises.both,
  };
}

const growthLine = (what: string, grown: number | undefined): Line => ({
  what,
  ours: grown === undefined ? 'not measured' : formatBytes(grown),
  against: 'over idle',
  ratio: '',
  promised: `below ${formatBytes(promises.growth)}`,
  kept: grown === undefined ? undefined : grown < promises.growth,
});

const milliseconds = (ms: number): string => `${Math.round(ms)} ms`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** The lines of what runs cost in actions of Temporal Cloud. */
export function actionLines(actions: Actions): Line[] {
  const { sync, portalQueues, hourOfWaiting, dayOfWaiting, waiting, asksInADay, visitsOfAQueue } = actions;
  const line = (what: string, count: number, most?: number): Line => ({
    what,
    ours: `${count} actions`,
    against: '',
    ratio: '',
    ...(most === undefined ? { promised: '' } : { promised: `at most ${most}`, kept: count <= most }),
  });
  return [
    line('a sync, with its portal queues', sync.plain, promises.actions),
    line('of these, its two portal queues', portalQueues),
    line('a sync that overwrites, with a safeguard', sync.overwriting),
    line('an hour of waiting for a job', hourOfWaiting.looks, promises.looks),
    line('its portal queue meanwhile, if another run waits there', hourOfWaiting.portalQueue),
    line('a day of waiting for a job', dayOfWaiting.looks),
    line('its portal queue meanwhile, if another run waits there', dayOfWaiting.portalQueue),
    line('a plan that waits for a yes', waiting.approved),
    line('being parked and resumed', waiting.parked),
    line('each day of waiting for a person', waiting.waitingDay),
    line('asking once more in a portal queue with no free slot', waiting.askAgain),
    line('a day in a portal queue with no free slot', waiting.askAgain * asksInADay),
    line(`a portal queue continues as a new one, each ${visitsOfAQueue} visits`, 1),
  ];
}
