import type { PhaseName } from '../../src/model/run/phase';
import type { Point, Trap } from './wire';

/** What a sync walks, in order. */
export const phasesOfASync = [
  'guard',
  'export',
  'wait-export',
  'download',
  'upload',
  'preview',
  'approve',
  'safeguard',
  'import',
  'wait-import',
  'verify',
  'cleanup',
] as const;

/** A moment in a run's life at which something is killed. */
export interface Moment {
  readonly when: string;
  readonly at:
    | ({ readonly side: 'source' | 'target' } & Trap)
    /** The run waits for an approval, which it is given afterwards. */
    | { readonly waits: true }
    /** The store looks so for the first time. @param folder of the store; what it returns is asked over and over */
    | { readonly store: (folder: string) => () => boolean }
    /** At chance; where there are several, each is counted from the return of what the one before it killed. */
    | { readonly chances: readonly Chances[] };
  /** The phase that the run is in. @default any */
  readonly phase?: PhaseName;
}

/** A random moment. It is counted in requests, since time passes as it will on a machine that is busy. */
interface Chances {
  /** So much of the requests of an undisturbed run has been sent, from 0 to 1. */
  readonly share: number;
  /** And so much of a pause between two polls is over, from 0 to 1. */
  readonly pause: number;
}

/** A request of one side, and a point of its way. */
type On = (operation: string, point: Point, more?: Partial<Trap>) => Moment['at'];

const on =
  (side: 'source' | 'target'): On =>
  (operation, point, more) => ({ side, operation, point, ...more });
export const source = on('source');
export const target = on('target');

/** What a write has come to when it is struck; the portal works on what it was asked, whoever is dead. */
const points = {
  lost: 'is noted and never arrives',
  asked: 'arrives, and has nobody who waits for it',
  done: 'is done, and the answer is lost',
  told: 'was answered this moment',
} as const satisfies Partial<Record<Point, string>>;

/** One in each phase. */
export const inPhases = {
  guard: { when: 'it looks at the portals', phase: 'guard', at: source('group.read', 'asked') },
  export: { when: 'the export is posted', phase: 'export', at: source('group.export', 'asked') },
  'wait-export': { when: 'it waits for the export', phase: 'wait-export', at: source('job', 'told') },
  download: { when: 'it downloads the package', phase: 'download', at: source('item.data', 'half') },
  upload: { when: 'it ends the upload', phase: 'upload', at: target('item.commit', 'asked') },
  preview: { when: 'it reads the preview', phase: 'preview', at: target('preview', 'done') },
  approve: { when: 'it waits for an approval', phase: 'approve', at: { waits: true } },
  safeguard: { when: 'it saves what is overwritten', phase: 'safeguard', at: target('item.data', 'half') },
  import: { when: 'the import is posted', phase: 'import', at: target('import', 'asked') },
  'wait-import': {
    when: 'it waits for the import',
    phase: 'wait-import',
    at: target('job', 'told', { after: 'import' }),
  },
  verify: {
    when: 'it verifies',
    phase: 'verify',
    at: target('item.data', 'asked', { after: 'import' }),
  },
  cleanup: { when: 'it removes its packages', phase: 'cleanup', at: source('item.delete', 'asked') },
} as const satisfies Readonly<Record<(typeof phasesOfASync)[number], Moment>>;

/** A request that changes a portal, at each point of its way. @param more which of them, and in which phase */
export function write(
  what: string,
  on: On,
  operation: string,
  { phase, ...trap }: Partial<Trap> & Pick<Moment, 'phase'> = {},
): Moment[] {
  return (Object.keys(points) as (keyof typeof points)[]).map((point) => ({
    when: `${what} ${points[point]}`,
    phase,
    at: on(operation, point, trap),
  }));
}

/** The package goes up while it comes down. */
export const onBothLines: Moment = {
  when: 'a part goes up while the package comes',
  phase: 'download',
  at: target('item.addPart', 'half', { nth: 2 }),
};

/** Each request of a sync that changes a portal, at each point. */
export const atWrites: readonly Moment[] = [
  ...write('the export', source, 'group.export'),
  ...write('the safeguard', target, 'group.export'),
  ...write('the import', target, 'import'),
  ...write('the upload', target, 'item.add'),
  onBothLines,
  ...write('a part', target, 'item.addPart'),
  ...write('the commit', target, 'item.commit'),
  ...write('the removal', target, 'item.delete'),
];

/** A guard that compares what is on both sides with what earlier runs have brought. */
export const compares: Moment = {
  when: 'it looks for what nobody has touched',
  phase: 'guard',
  at: target('group.content', 'asked'),
};

/** Two look-ups find each job of these sites running, and the third one that it is over. */
const looksAtAJob = 3;

/** The package that comes second, in each phase in which it comes; and between the two. */
export const ofTheSecond = {
  export: {
    when: 'the export of the second package is posted',
    phase: 'export',
    at: source('group.export', 'asked', { nth: 2 }),
  },
  waitExport: {
    when: 'it waits for the export of the second package',
    phase: 'wait-export',
    at: source('job', 'told', { nth: looksAtAJob + 1 }),
  },
  download: {
    when: 'it downloads the second package',
    phase: 'download',
    at: source('item.data', 'half', { nth: 2 }),
  },
  upload: {
    when: 'the second package goes up',
    phase: 'upload',
    at: target('item.add', 'half', { nth: 2 }),
  },
  preview: {
    when: 'it reads the preview of the second package',
    phase: 'preview',
    at: target('preview', 'done', { nth: 2 }),
  },
  safeguard: {
    when: 'it saves what the second package overwrites',
    phase: 'safeguard',
    at: target('item.data', 'half', { nth: 2 }),
  },
  import: {
    when: 'the import of the second package is posted',
    phase: 'import',
    at: target('import', 'asked', { nth: 2 }),
  },
  waitImport: {
    when: 'it waits for the import of the second package',
    phase: 'wait-import',
    at: target('job', 'told', { after: 'import', nth: looksAtAJob + 1 }),
  },
  cleanup: {
    when: 'it removes the second of its packages',
    phase: 'cleanup',
    at: source('item.delete', 'asked', { nth: 2 }),
  },
} as const satisfies Readonly<Record<string, Moment>>;

export const betweenTwo = {
  downloads: {
    when: 'the first package has come, and the second is still to be exported',
    phase: 'download',
    at: source('item.data', 'told'),
  },
  imports: {
    when: 'the first package is imported, and the second is not',
    phase: 'wait-import',
    at: target('job', 'told', { after: 'import', nth: looksAtAJob }),
  },
  planned: {
    when: 'the first package is imported, and the plan of the second is read again',
    phase: 'import',
    at: target('group.content', 'asked', { after: 'import' }),
  },
} as const satisfies Readonly<Record<string, Moment>>;

/** Each request about a second package that changes a portal, at each point. */
export const atWritesOfTheSecond: readonly Moment[] = [
  ...write('the second export', source, 'group.export', { nth: 2, phase: 'export' }),
  ...write('the second safeguard', target, 'group.export', { nth: 2, phase: 'safeguard' }),
  ...write('the second upload', target, 'item.add', { nth: 2, phase: 'upload' }),
  ...write('the second import', target, 'import', { nth: 2, phase: 'import' }),
  ...write('the second removal', target, 'item.delete', { nth: 2 }),
];

/** A package turns out to be too large, and is cut in two; what comes instead is exported anew. */
export const whereItIsCut = {
  seen: {
    when: 'the package turns out to be too large',
    phase: 'download',
    at: source('item.data', 'asked'),
  },
  looked: {
    when: 'it looks how large the package is said to be',
    phase: 'download',
    at: source('item.read', 'asked', { after: 'item.data' }),
  },
  waits: {
    when: 'it waits for the export of the first half',
    phase: 'wait-export',
    at: source('job', 'told', { nth: looksAtAJob + 1 }),
  },
} as const satisfies Readonly<Record<string, Moment>>;

export const atExportsOfHalves: readonly Moment[] = [
  ...write('the export of the first half', source, 'group.export', { nth: 2, phase: 'export' }),
  ...write('the export of the second half', source, 'group.export', { nth: 3, phase: 'export' }),
];
