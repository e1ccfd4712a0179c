import { importPost } from '../../support/site';
import fc from 'fast-check';
import type { RouteFlags } from '../../../src/config/resolve-route';
import type { FaultAction, FaultRule } from '../../../src/simulator/faults';
import type { SimulatorOptions } from '../../../src/simulator/options';
import { transportItems } from '../../../src/simulator/seed/transport';
import type { ItemRecord } from '../../../src/simulator/state/records';

/** One sync between two portals of whatever kind, over whatever line. */
export interface Draw {
  readonly source: Partial<SimulatorOptions>;
  readonly target: Partial<SimulatorOptions>;
  /** Packages go up in parts. */
  readonly inParts?: boolean;
  /** What happened on the target to an item that the route would take for its own. */
  readonly foreign?: { readonly itemId: string; readonly change: Partial<ItemRecord> };
  readonly flags: RouteFlags;
  /** What the operator does where the run parks: goes on so often, and then cancels. */
  readonly resumes: number;
}

/** There in one of so many draws. */
const optional = <T>(value: fc.Arbitrary<T>, oneIn = 4) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const seldom = optional(fc.constant(true), 7);

const itemIds = Object.values(transportItems);
const someItems = fc.subarray(itemIds, { minLength: 1, maxLength: 4 });

const success = fc.constantFrom('completed', 'Succeeded', 'COMPLETE');
const finalWord = optional(
  fc.oneof(
    { weight: 4, arbitrary: success },
    { weight: 1, arbitrary: fc.constantFrom('failed', 'timedOut') },
  ),
);

const answers: readonly FaultAction[] = [
  'reset',
  'html',
  { status: 503 },
  { cut: 20 },
  { error: { code: 500, message: 'Try later.' } },
];
/** Answers of a portal that has done nothing: it does not give them after the work. */
const refusals: readonly FaultAction[] = [
  { status: 429, retryAfter: 1 },
  'expireToken',
  { error: { code: 403, message: 'You do not have permissions.' } },
];

const reads = [
  'portal.self',
  'group.read',
  'group.content',
  'item.read',
  'item.groups',
  'item.data',
  'item.status',
  'user.content',
  'job',
  'group.importPreview',
  'service.read',
  'layer.query',
];
const writes = ['item.add', 'item.addPart', 'item.commit', 'item.update', 'item.delete'];
const onCall = (
  operations: readonly string[],
  when: FaultRule['when'],
  acts: readonly FaultAction[],
): fc.Arbitrary<FaultRule> =>
  fc.record({
    match: fc.constantFrom(...operations).map((operation) => ({ operation })),
    nth: fc.integer({ min: 1, max: 3 }),
    when: fc.constant(when),
    do: fc.constantFrom(...acts),
  });

const preview = { operation: 'group.import', params: { previewOnly: 'true' } };
const posts = [{ operation: 'group.export' }, importPost];
/**
 * A post is lost after its work only: one that never began, like a preview that shows nothing, is given a minute
 * until that is believed.
 */
const onPost: fc.Arbitrary<FaultRule> = fc.oneof(
  fc.record({
    match: fc.constantFrom(...posts),
    nth: fc.constant(1),
    when: fc.constant('after' as const),
    do: fc.constantFrom(...answers),
  }),
  fc.record({
    match: fc.constantFrom(preview, ...posts),
    nth: fc.constant(1),
    when: fc.constant('before' as const),
    do: fc.constantFrom(...refusals),
  }),
);

const faults = fc
  .array(
    fc.oneof(
      onCall(reads, 'before', [...answers, ...refusals]),
      onCall(writes, 'before', [...answers, ...refusals]),
      onCall(writes, 'after', answers),
      onPost,
    ),
    { maxLength: 2 },
  )
  .map((rules) => ({ rules }));

/** Ways of either portal. */
const common = {
  entryShape: optional(fc.constant('string' as const)),
  strict: seldom,
  redirect: seldom,
  noRange: seldom,
  noLength: seldom,
  jobPolls: fc.constantFrom(0, 0, 1),
  recycleBin: optional(fc.constantFrom('off' as const, 'unsupported' as const)),
  noEnterpriseVersion: seldom,
  noItemStatus: seldom,
  notFoundPages: seldom,
  itemCallsInFolder: seldom,
  failExport: optional(someItems),
  packageFolder: optional(fc.constant('Exports')),
  unreadable: optional(fc.constant('denied' as const)),
  exportLists: seldom,
  faults,
};

const versions = ['10.8.1', '10.9.1', '11.0', '11.2', '11.3', '11.4'];
const versionPair = fc
  .tuple(fc.constantFrom(...versions), fc.constantFrom(...versions), fc.integer({ min: 0, max: 19 }))
  .map(([one, other, luck]) => {
    const [older, newer] = [one, other].sort((a, b) => versions.indexOf(a) - versions.indexOf(b));
    // Now and then the target is the older one, which the guards refuse.
    return luck === 0 ? [newer!, older!] : [older!, newer!];
  });

const source = fc.record({ ...common, exportAtOnce: seldom });
const target = fc.record({
  ...common,
  failImport: optional(someItems),
  refuseForeign: seldom,
  ignorePreviewOnly: optional(fc.constant(true), 16),
  hidePartial: seldom,
  previewId: optional(fc.constant('summary' as const)),
  previewLagMs: optional(fc.constant(300)),
  importFolder: optional(fc.constant('Imports')),
});

const flags: fc.Arbitrary<RouteFlags> = fc.record({
  items: optional(fc.subarray(itemIds, { minLength: 1 })),
  overwrite: optional(fc.constant(true), 2),
  data: optional(fc.constant('replace' as const), 2),
  take: optional(someItems),
});

const there = [transportItems.csv, transportItems.map, transportItems.boundaries];
const changes: readonly Partial<ItemRecord>[] = [{ groups: [] }, { owner: 'other' }, { type: 'Map Service' }];
const foreign = optional(
  fc.record({ itemId: fc.constantFrom(...there), change: fc.constantFrom(...changes) }),
  3,
);

const words = fc.record({ export: finalWord, import: finalWord });

export const draw: fc.Arbitrary<Draw> = fc
  .record({
    versions: versionPair,
    source,
    target,
    sourceWords: words,
    targetWords: words,
    inParts: optional(fc.constant(true), 10),
    foreign,
    flags,
    resumes: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ versions: [from, to], sourceWords, targetWords, ...rest }) => ({
    ...rest,
    source: { ...rest.source, version: from, finalStatus: sourceWords },
    target: { ...rest.target, version: to, finalStatus: targetWords },
  }))
  .filter(isSoonOver);

/** Leaves out what takes a minute and more until it is believed. */
function isSoonOver({ source: from, target: to }: Draw) {
  const loses = (portal: Partial<SimulatorOptions>, operation: string) =>
    typeof portal.faults === 'object' &&
    portal.faults.rules.some((rule) => rule.match.operation === operation && rule.when === 'after');
  // An export whose items all fail makes no package that could be found.
  return ![from, to].some((portal) => portal.failExport && loses(portal, 'group.export'));
}

const plain = { flags: {}, resumes: 0 };
const unknownRoute = {
  error: { code: 404, message: 'Resource does not exist or is inaccessible.' },
} as const;
/** Only documented fields and resources. */
const documented: Partial<SimulatorOptions> = {
  version: '10.8.1',
  strict: true,
  redirect: true,
  faults: {
    rules: [
      { match: { operation: 'group.read' }, do: unknownRoute },
      { match: { operation: 'portal.servers' }, do: { status: 404 } },
    ],
  },
};
const unusual: Partial<SimulatorOptions> = {
  noRange: true,
  noLength: true,
  entryShape: 'string',
  uniqueFileNames: true,
  relatedServicesHold: true,
  noEnterpriseVersion: true,
  packageFolder: 'Exports',
  itemCallsInFolder: true,
  finalStatus: { export: 'Complete', import: 'COMPLETED' },
};

const lost = (operation: string, params?: Record<string, string>): FaultRule => ({
  match: { method: 'POST', operation, params },
  nth: 1,
  when: 'after',
  do: 'reset',
});
const losses: Record<'source' | 'target', FaultRule[]> = {
  source: [lost('group.export'), { match: { operation: 'group.content' }, nth: 1, do: 'reset' }],
  target: [
    ...[lost('item.add'), lost('group.import', { previewOnly: 'false' }), lost('item.delete')],
    { match: { operation: 'item.read' }, nth: 1, do: 'expireToken' },
  ],
};

/** Ways of portals that a sync gets along with. */
export const ways: readonly (Draw & { readonly how: string })[] = [
  {
    ...plain,
    how: 'tell only what is documented',
    source: { ...documented, noData: 'error', exportAtOnce: true },
    target: { ...documented, noData: 'absent', previewId: 'summary' },
  },
  {
    ...plain,
    how: 'have folders, names and lists of their own, and lose responses',
    source: { ...unusual, exportLists: true, faults: { rules: losses.source } },
    target: { ...unusual, importFolder: 'Imports', faults: { rules: losses.target } },
    flags: { overwrite: true, data: 'replace' },
  },
];
