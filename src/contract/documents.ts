import { z } from 'zod';
import { documentKinds } from '../model/portal-change/change';
import { taskRunStatuses } from '../model/run/phase';
import { fieldChange } from '../model/run/run';
import { operation } from './operation';
import { run } from './runs';
import { anyStart, start } from './starts';

const name = z.string().min(1).max(200);
const portal = name.describe('portal in portolan.yaml');
const document = { portal, kind: z.enum(documentKinds) };

/** Which portal a document is of. */
const exported = z.object({ portal: z.string(), url: z.string(), version: z.string().optional() });

/** What a document becomes; exactly one of these. */
const wanted = {
  content: z.unknown().optional().describe('content of an exported file'),
  saved: run.optional().describe('run whose replaced values are restored'),
  from: portal.optional().describe('portal whose settings are copied'),
  none: z.literal(true).optional().describe('delete the category schema'),
  hosts: z
    .record(z.string(), z.string())
    .optional()
    .describe('with `from`: hosts in its settings, and what replaces each'),
};

const summary = z.string().optional().describe('`4 categories in 1 tree`; absent for settings');
const warnings = z.array(z.string()).readonly();

/** Counting the items of a category schema can take long. @format milliseconds */
const READ_WITHIN_MS = 120_000;

/** Documents of a portal, and its tasks: `portolan settings`, `category-schema`, `task-run`. */
export const documentOperations = {
  readDocument: operation({
    at: 'GET /portals/:portal/documents/:kind',
    summary: "Export a portal's settings or category schema",
    input: z.strictObject(document),
    answer: z.object({
      portal: exported,
      content: z.record(z.string(), z.unknown()).describe('of a file that can be applied'),
      comment: z.array(z.string()).readonly().describe('first lines of the file'),
      summary,
      warnings,
    }),
    right: 'operate',
    needs: 'store',
    turn: true,
  }),
  diffDocument: operation({
    at: 'POST /portals/:portal/documents/:kind/diff',
    summary: "Compare a portal's settings or category schema with a file (read-only)",
    input: z.strictObject({ ...document, content: z.unknown() }),
    answer: z.object({
      portal: exported,
      exported: exported.optional().describe('of the file'),
      differences: z.array(
        fieldChange.extend({ isDropped: z.boolean().describe('whether an upgrade dropped it') }),
      ),
      has: summary.describe('what the portal has'),
      fileHas: summary,
      warnings,
    }),
    right: 'operate',
    needs: 'store',
    turn: true,
    isLook: true,
  }),
  lookAtChange: operation({
    at: 'POST /portals/:portal/documents/:kind/preview',
    summary: 'Show what a change of a document would do, without starting it',
    input: z.strictObject({
      ...document,
      ...wanted,
      requestId: name.optional().describe('of the change to start'),
    }),
    answer: z.object({
      begun: z.string().optional().describe('run that the request ID has started; then nothing else is read'),
      changes: z.array(fieldChange).readonly(),
      has: summary.describe('what the portal has'),
      warnings,
      seen: z.string().optional().describe('mark of the values before and after'),
    }),
    right: 'operate',
    needs: 'temporal',
    turn: true,
    isLook: true,
    withinMs: READ_WITHIN_MS,
  }),
  changeDocument: start(
    'POST /portals/:portal/documents/:kind',
    "Change a portal's settings or category schema",
    {
      ...anyStart,
      ...document,
      ...wanted,
      seen: z.string().max(200).optional().describe('of the preview; other changes are refused'),
    },
    READ_WITHIN_MS,
  ),
  updateTaskRun: start('POST /task-runs', 'Set status and result of a scheduled task run', {
    ...anyStart,
    portal,
    username: name.describe('owner of the task'),
    taskId: name,
    taskRunId: name.optional().describe('default: the newest'),
    status: z.enum(taskRunStatuses),
    result: z.string().max(10_000).optional().describe('may be empty. @default the current one'),
  }),
};
