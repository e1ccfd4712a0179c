import path from 'node:path';
import { groupBy } from '../../src/model/group-by';
import type { PhaseName } from '../../src/model/run/phase';
import type { RunRecord } from '../../src/model/run/run';
import type { FaultRule } from '../../src/simulator/faults';
import { routes } from '../../src/simulator/routes';
import type { Harm } from './harmed';
import type { Chance } from '../soak/chance';
import { type Pair, type Side, sides } from './pair';
import { type Point, points, type Trap, type Wire } from './wire';

/** A call of the undisturbed run. */
export interface Call {
  readonly side: Side;
  readonly operation: string;
  /** Which of its kind, from 1; counted from the first import if it comes after. */
  readonly nth: number;
  readonly after?: 'import';
  readonly writes: boolean;
  readonly isFile: boolean;
  readonly phase: PhaseName | undefined;
}

/** When something is struck. */
export type Moment =
  | { readonly call: Call; readonly point: Point }
  /** The run waits for an approval, which it gets later. */
  | { readonly waits: true }
  /** A request to a server that is no portal; that of an approval only comes if the run asks. */
  | { readonly wire: Wire; readonly trap: Omit<Trap, 'spring' | 'heard'>; readonly asks?: boolean }
  /** A file of the store is there, or gone, that the run writes or removes. */
  | { readonly file: RegExp; readonly is: 'written' | 'gone'; readonly nth?: number }
  /** Throughout: no write is heard to have been processed. */
  | { readonly unheard: true }
  /** Throughout: faults of the portals. */
  | { readonly storm: readonly { readonly side: Side; readonly rule: FaultRule }[] }
  /** Throughout: a portal does harm. */
  | { readonly harm: Harm }
  /** Never: the run goes on beside those that are struck. */
  | { readonly beside: true };

/** Whether its run waits for an approval. */
export const asksAt = (moment: Moment): boolean =>
  'waits' in moment || ('wire' in moment && moment.asks === true);

export const writing: ReadonlySet<string> = new Set([
  ...routes.filter(({ method }) => method === 'POST').map(({ operation }) => operation),
  ...['import', 'preview'],
]);
/** Signing in changes nothing. */
const signsIn = /^(token|signIn|oauth|community)/i;

/** The calls of a run, in their order. @param from how many crossings came before it, by side */
export function callsOf(pair: Pair, record: RunRecord, from: Readonly<Record<Side, number>>): Call[] {
  const calls = sides.flatMap((side) => {
    const seen = new Map<string, number>();
    let after: 'import' | undefined;
    return pair.wires[side].crossings.slice(from[side]).map(({ operation, at, isFile }) => {
      const nth = (seen.get(operation) ?? 0) + 1;
      seen.set(operation, nth);
      const writes = writing.has(operation) && !signsIn.test(operation);
      const call = { at, side, operation, nth, after, writes, isFile, phase: phaseAt(record, at) };
      if (operation === 'import' && after === undefined) {
        after = 'import';
        seen.clear();
      }
      return call;
    });
  });
  return calls.sort((one, other) => one.at - other.at).map(({ at: _, ...call }) => call);
}

/** The last phase that had begun by then. */
export const phaseAt = ({ phases }: RunRecord, at: number): PhaseName | undefined =>
  phases.findLast(({ startedAt }) => startedAt !== undefined && Date.parse(startedAt) <= at)?.name;

/** Every write at every point, and every file half-way. */
export const atWrites = (calls: readonly Call[]): Moment[] =>
  calls.flatMap((call) =>
    points
      .filter((point) => (point === 'half' ? call.isFile : call.writes))
      .map((point) => ({ call, point })),
  );

/** Every write at every point, and every read received. */
export const atAll = (calls: readonly Call[]): Moment[] => [
  ...atWrites(calls),
  ...calls.filter(({ writes }) => !writes).map((call) => ({ call, point: 'received' }) as const),
];

/** Each file, in the order of their kinds, when it is there. */
export function atEachOf(files: readonly string[]): Moment[] {
  const kinds = groupBy(files, kindOfFile);
  return [...kinds].flatMap(([kind, { length }]) =>
    Array.from({ length }, (_, at) => ({ file: new RegExp(kind), is: 'written' as const, nth: at + 1 })),
  );
}

/** A pattern of the names of files of a kind. */
const kindOfFile = (file: string): string =>
  `^${file
    .replace(/^index\/ends\/[^/]+/, 'index/ends/0')
    .split('/')
    .map((part) => (/\d/.test(part) ? '[^/]+' : part.replaceAll('.', '\\.')))
    .join('/')}${/\d/.test(path.basename(file)) ? `\\${path.extname(file)}` : ''}$`;

/** A request that cannot be repeated where it may have been received. */
export const isPost = ({ operation }: Call): boolean =>
  operation === 'group.export' || operation === 'import';

/** Exports and imports at every point at which a response can get lost. */
export const atPosts = (calls: readonly Call[]): Moment[] => atWrites(calls.filter(isPost));

/** Reads of one kind are alike; how many a verification makes is up to chance. */
const nameOf = ({ side, operation, nth, after, writes, isFile }: Call): string =>
  [side, operation, after, ...(writes || (isFile && !after) ? [nth] : [])].join();

/** Calls that other runs do not make. */
export function onlyIn(calls: readonly Call[], others: readonly Call[]): Call[] {
  const known = new Set(others.map(nameOf));
  return calls.filter((call) => !known.has(nameOf(call)));
}

/** Any call, received or processed. */
export const atRandom = (calls: readonly Call[], count: number, chance: Chance): Moment[] =>
  Array.from({ length: count }, () => ({
    call: chance.pick(calls),
    point: chance.pick(['received', 'processed'] as const),
  }));

/** The first call of each phase, and the wait for an approval, in which nothing is called. */
export function onePerPhase(calls: readonly Call[], canAsk = false): Moment[] {
  const first = new Map(calls.toReversed().map((call) => [call.phase, call]));
  return [
    ...[...first.values()].reverse().map((call) => ({ call, point: 'received' }) as const),
    ...(canAsk ? [{ waits: true } as const] : []),
  ];
}

/** The first call of each kind. */
export function atCalls(calls: readonly Call[], at: readonly Point[]): Moment[] {
  const first = new Map(
    calls.toReversed().map((call) => [`${call.side} ${call.operation} ${call.after}`, call]),
  );
  return [...first.values()].reverse().flatMap((call) => at.map((point) => ({ call, point })));
}

export function titleOf(moment: Moment): string {
  if ('waits' in moment) return 'waiting for an approval';
  if ('wire' in moment) return Object.values(moment.trap).join(' ');
  if ('file' in moment) return `${moment.file.source} ${moment.is}${moment.nth ? ` ${moment.nth}` : ''}`;
  if ('unheard' in moment) return 'every write';
  if ('storm' in moment)
    return moment.storm.map(({ side, rule }) => `${side} ${JSON.stringify(rule)}`).join(', ');
  if ('harm' in moment) return moment.harm.what;
  if ('beside' in moment) return 'beside';
  const { side, operation, nth, after, phase } = moment.call;
  return `${side} ${operation} ${nth}${after ? ` after ${after}` : ''} ${moment.point}, in ${phase}`;
}
