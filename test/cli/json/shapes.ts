import { z } from 'zod';
import { contract } from '../../../src/contract/contract';
import { slotHolder } from '../../../src/contract/queues';
import { runRow } from '../../../src/contract/run-row';
import { runEvent } from '../../../src/contract/runs';
import { takeoverView } from '../../../src/contract/starts';
import { snapshotShown } from '../../../src/contract/snapshots';
import { errorTable } from '../../../src/model/errors/error-codes';
import { beginnings } from '../../../src/model/run/phase';
import { fieldChange, phaseRecord, runRecord } from '../../../src/model/run/run';
import { snapshotManifest } from '../../../src/model/snapshot/snapshot';
import { planRow } from '../../../src/model/transfer/plan';

const name = z.string();
const sizeBytes = z.number();
const keySha256 = z.string();

/** The portal of a document. */
const exported = z.object({ portal: name, url: z.string(), version: z.string().optional() });
const fileExport = z.object({ file: name, exported });
const documentDiff = z.object({
  portal: exported,
  file: name,
  exported: exported.optional(),
  differences: z.array(
    z.object({
      path: name,
      before: z.unknown().optional(),
      after: z.unknown().optional(),
      isDropped: z.boolean(),
    }),
  ),
  warnings: z.array(z.string()),
});

const newEnd = z.object({
  portal: name,
  url: z.string(),
  username: name,
  password: z.union([
    z.object({ env: name }),
    z.object({ file: name }),
    z.object({ command: z.array(z.string()) }),
  ]),
  group: z.object({ id: z.string(), title: z.string().optional() }).optional(),
});

const leftover = z.object({
  portal: name,
  itemId: z.string(),
  folderId: z.string().optional(),
  title: z.string(),
  size: z.number().optional(),
  created: z.number().optional(),
  runId: z.string().optional(),
  state: z.enum(['in use', 'left over', 'of others']),
  removed: z.boolean(),
});

const pipelineView = contract.readPipeline.answer;

/** What each command prints with `-o json`; responses of operations are those of the contract. */
export const shapes: Readonly<Record<string, z.ZodType>> = {
  init: z.object({ file: name, route: name, source: newEnd, target: newEnd }),
  up: z.object({
    pid: z.number().optional(),
    address: z.string(),
    page: z.string().optional(),
    ui: z.string().optional(),
    log: name,
    wasUp: z.boolean(),
  }),
  down: z.object({ ended: z.boolean(), pid: z.number().optional() }),
  doctor: contract.examine.answer.shape.results,
  diff: contract.diffRoute.answer.omit({ unknown: true }),
  sync: runRecord,
  'backup create': runRecord,
  'backup drill': runRecord,
  restore: runRecord,
  'release create': runRecord,
  'release list': contract.listReleases.answer,
  'release show': contract.readRelease.answer,
  'release diff': contract.diffReleases.answer,
  'release pin': contract.pinRelease.answer,
  'release unpin': contract.unpinRelease.answer,
  'release block': contract.blockRelease.answer,
  'release unblock': contract.unblockRelease.answer,
  'release export': z.object({
    id: z.string(),
    sha256: z.string(),
    groups: z.number(),
    file: name,
    sizeBytes,
    keySha256,
  }),
  'release import': z.object({
    release: contract.readRelease.answer,
    wasThere: z.boolean(),
    keySha256,
    stages: z.array(name),
  }),
  'release forget': contract.forgetRelease.answer,
  'promote start': runRecord,
  'promote status': z.union([z.array(pipelineView), pipelineView]),
  'promote diff': contract.diffStage.answer,
  'promote history': contract.readHistory.answer,
  'promote rollback': runRecord,
  status: contract.readStatus.answer.extend({ exit: z.number() }),
  'run list': contract.listRuns.answer.shape.runs,
  'run show': z.union([runRecord, contract.readPlan.answer]),
  'run logs': contract.readEvents.answer,
  'run bundle': z.object({ run: z.string(), file: name, sizeBytes, inside: z.array(z.string()) }),
  'run watch': runRecord,
  'run approve': contract.approveRun.answer,
  'run reject': contract.rejectRun.answer,
  'run resume': contract.resumeRun.answer,
  'run restart': z.union([
    runRecord,
    takeoverView
      .pick({ reuses: true, redoes: true, notes: true })
      .partial()
      .extend({
        runId: z.string(),
        from: z.enum(beginnings),
        started: z.literal(false),
        command: z.string(),
      }),
  ]),
  'run rollback': runRecord,
  'run retry': z.union([
    runRecord,
    z.object({ runId: z.string(), items: z.tuple([]), started: z.literal(false) }),
  ]),
  'run cancel': contract.cancelRun.answer.omit({ record: true }),
  'schedule list': contract.listSchedules.answer,
  'schedule show': contract.readSchedule.answer,
  'schedule apply': z.array(
    contract.applySchedules.answer.shape.changes.unwrap().element.omit({ starts: true }),
  ),
  'schedule pause': contract.pauseSchedule.answer,
  'schedule resume': contract.resumeSchedule.answer,
  'schedule trigger': contract.triggerSchedule.answer,
  'snapshot list': contract.listSnapshots.answer.pick({ snapshots: true, routes: true }),
  'snapshot show': contract.readSnapshot.answer,
  'snapshot verify': z.array(contract.verifySnapshots.answer),
  'snapshot diff': contract.diffSnapshots.answer,
  'snapshot pin': contract.pinSnapshot.answer,
  'snapshot unpin': contract.unpinSnapshot.answer,
  'snapshot forget': contract.forgetSnapshots.answer.omit({ seen: true, notes: true }),
  'snapshot export': z.object({ id: z.string(), file: name, sizeBytes, keySha256 }),
  'snapshot import': z.object({ snapshot: snapshotManifest, wasThere: z.boolean(), keySha256 }),
  'snapshot keygen': z.object({ privateFile: name, publicFile: name, keySha256 }),
  'protect list': contract.listRules.answer,
  'protect show': contract.readRule.answer,
  'protect run': runRecord,
  coverage: contract.readCoverage.answer,
  'item list': contract.listItems.answer.omit({ next: true }),
  'item history': contract.readItemHistory.answer,
  'item show': contract.readItemAt.answer,
  'item diff': contract.diffItem.answer,
  'item restore': runRecord,
  'queue list': contract.listQueues.answer,
  'queue release': contract.releaseSlot.answer,
  freeze: contract.freeze.answer,
  unfreeze: contract.unfreeze.answer,
  freezes: contract.listFreezes.answer.shape.events,
  'hook list': contract.listHooks.answer,
  'hook test': z.union([z.object({ name, call: z.string() }), contract.testReceiver.answer]),
  open: z.object({ address: z.string() }),
  clean: z.array(leftover),
  'settings export': z.union([z.looseObject({ exported }), fileExport]),
  'settings diff': documentDiff,
  'settings apply': runRecord,
  'settings promote': runRecord,
  'category-schema export': z.union([
    z.object({ categorySchema: z.array(z.looseObject({ title: z.string() })) }),
    fileExport,
  ]),
  'category-schema diff': documentDiff,
  'category-schema apply': runRecord,
  'category-schema delete': runRecord,
  'task-run update': runRecord,
  'serve key': z.object({ name, key: z.string(), sha256: z.string() }),
  login: z.object({ server: z.string(), who: z.string(), expiresAt: z.string() }),
  logout: z.object({ server: z.string(), was: z.string().optional() }),
  whoami: contract.readWhoami.answer,
  completion: z.object({ shell: z.string(), script: z.string() }),
};

/** What a failed command prints. */
const failure = z.object({
  error: z.object({
    kind: z.string(),
    code: z.enum(Object.keys(errorTable)),
    message: z.string(),
    hint: z.string(),
    portal: z.string().optional(),
    portalWords: z.string().optional(),
  }),
});

/** Commands that print no JSON, and why. */
export const printsNone: Readonly<Record<string, string>> = {
  demo: 'plays to people',
  simulate: 'prints an address and serves until Ctrl-C',
  worker: 'writes a log until Ctrl-C',
  'serve start': 'writes a log until Ctrl-C',
};

const named = {
  FieldChange: fieldChange,
  Phase: phaseRecord,
  PlanRow: planRow,
  RunEvent: runEvent,
  RunRecord: runRecord,
  RunRow: runRow,
  SlotHolder: slotHolder,
  Snapshot: snapshotShown,
  SnapshotManifest: snapshotManifest,
};
const metadata = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(named)) metadata.add(schema, { id });

const jsonSchemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { metadata, unrepresentable: 'any' });

/** How the output of a command differs from its shape, which allows no other fields. Empty if it does not. */
export function misfits(words: string, stdout: string) {
  const printed: unknown = JSON.parse(stdout);
  const shape = failure.safeParse(printed).success ? failure : (shapes[words] ?? z.never());
  const { error } = z.fromJSONSchema(jsonSchemaOf(shape)).safeParse(printed);
  return error === undefined ? '' : z.prettifyError(error);
}

type Schema = z.core.JSONSchema.BaseSchema;

/** Every shape by command, and shared ones by name. */
export function shapesText() {
  const shared = new Map<string, Schema>();
  const commands = Object.entries({ ...shapes, 'any that fails': failure }).map(([words, shape]) => {
    const { $defs = {}, ...schema } = jsonSchemaOf(shape);
    for (const [id, described] of Object.entries($defs)) shared.set(id, described);
    return `${words} -> ${textOf(schema)}`;
  });
  const names = [...shared].sort().map(([id, schema]) => `${id} = ${textOf(schema)}`);
  const none = Object.entries(printsNone).map(([words, why]) => `${words}: ${why}`);
  return `What each command prints with -o json. \`?\` marks what may be absent. Written by: npm run docs

${commands.join('\n')}

${names.join('\n')}

No JSON:
${none.join('\n')}
`;
}

function textOf(schema: Schema, indent = ''): string {
  const below = `${indent}  `;
  const { $ref, anyOf, oneOf, type, properties, additionalProperties: others, required = [], items } = schema;
  if ($ref !== undefined) return $ref.replace('#/$defs/', '');
  const words = schema.enum ?? ('const' in schema ? [schema.const] : undefined);
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices) return choices.map((each) => textOf(each, indent)).join(' | ');
  if (type === 'array')
    return typeof items === 'object' && !Array.isArray(items) ? `[${textOf(items, indent)}]` : '[]';
  if (type !== 'object') return String(type ?? 'any');
  const fields = Object.entries(properties ?? {}).map(
    ([field, each]) =>
      `${field}${required.includes(field) ? '' : '?'}: ${typeof each === 'object' ? textOf(each, below) : 'any'}`,
  );
  if (typeof others === 'object') fields.push(`...: ${textOf(others, below)}`);
  return `{\n${fields.map((field) => `${below}${field}`).join('\n')}\n${indent}}`;
}
