import type { z } from 'zod';
import { findPortal, isSamePortal } from '../../config/resolve-route';
import type { documentOperations } from '../../contract/documents';
import type { BegunRun } from '../../contract/starts';
import { expectedOf, type Found } from '../../domain/portal-change/portal-document';
import { exportedOf } from '../../domain/portal-change/settings-file';
import { PortolanError } from '../../model/errors/errors';
import {
  type ChangeInput,
  type DocumentChangeInput,
  type DocumentKind,
  routeOfChange,
  type TaskRunInput,
} from '../../model/portal-change/change';
import type { RunKind } from '../../model/run/run';
import { keys } from '../../store/keys';
import type { TemporalClient } from '../../temporal/connection';
import type { Context, Handlers } from '../context';
import { requireAbleWorkers } from '../run/compatible-workers';
import { changeStartedBefore, portalRefOf, runIdFor, startChange } from '../run/start-run';
import { categoryForm } from './category-form';
import {
  copiedFrom,
  type DocumentFile,
  type DocumentForm,
  parsedFile,
  readReplaced,
  withDocument,
} from './document-form';
import { settingsForm } from './settings-form';

type Acting = Context & { readonly temporal: TemporalClient };
type Asked = z.output<(typeof documentOperations)['lookAtChange']['input']>;

/** Each throws PORTAL_NOT_FOUND, and `USAGE` for content that is no such document. */
export const documentHandlers: Handlers<typeof documentOperations> = {
  readDocument: async (context, { portal, kind }) => {
    context.may.changeShared();
    return await ofKind(kind, (form) =>
      withDocument(context, portal, form.document, (found) => ({
        portal: exportedOf(found),
        ...form.write(found),
        summary: form.summary?.(found.value),
      })),
    );
  },

  diffDocument: async (context, { portal: name, kind, content }) => {
    context.may.changeShared();
    return await ofKind(kind, (form) => {
      const file = parsedFile(form, content);
      const { wanted, exported } = file;
      return withDocument(context, name, form.document, async (found, portal) => {
        const concerns = await form.concerns(found, wanted, portal);
        const { dropped, notes } = form.upgradeLosses?.(found, file) ?? { dropped: [], notes: [] };
        return {
          portal: exportedOf(found),
          exported,
          differences: form.document
            .differences(found.value, wanted)
            .map(({ path, before, after }) => ({ path, before, after, isDropped: dropped.includes(path) })),
          has: form.summary?.(found.value),
          fileHas: form.summary?.(wanted),
          warnings: [...file.warnings, ...concerns, ...notes],
        };
      });
    });
  },

  lookAtChange: async (context, asked) => {
    context.may.changeShared();
    const { kind, portal, requestId } = asked;
    const request = { requestId, asked: requestOf(context, asked) };
    await requireAbleWorkers(context, portalsOf(asked));
    const begun = await changeStartedBefore(kind, context, portal, request);
    if (begun) return { begun: begun.runId, changes: [], warnings: [] };
    return await ofKind(kind, (form) =>
      withChange(form, context, asked, ({ value }, { wanted, warnings }) => ({
        changes: form.document.differences(value, wanted),
        has: form.summary?.(value),
        warnings,
        seen: expectedOf(form.document, value, wanted),
      })),
    );
  },

  changeDocument: (context, { seen, reason, ...asked }) => {
    // There is no plan that somebody else could approve.
    context.may.have('approve');
    return ofKind(asked.kind, (form) =>
      change(
        context,
        asked.kind,
        { ...asked, operation: operationOf(asked), reason },
        requestOf(context, asked),
        (runId) =>
          withChange(form, context, asked, async ({ value }, { wanted, warnings }) => {
            await context.store.writeJson(keys.desired(runId), wanted);
            return { expected: seen ?? expectedOf(form.document, value, wanted), warnings };
          }),
      ),
    );
  },

  updateTaskRun: (context, { portal, reason, username, taskId, taskRunId, status, result }) => {
    const details = {
      task: { ...portalRefOf(context.config, portal), username, taskId, taskRunId },
      status,
      result,
    };
    const asked = { operation: 'update', portal, ...details };
    return change(context, 'task-run', { portal, operation: 'update', reason }, asked, () =>
      Promise.resolve(details),
    );
  },
};

const ofKind = <R>(kind: DocumentKind, work: <T>(form: DocumentForm<T>) => R): R =>
  kind === 'settings' ? work(settingsForm) : work(categoryForm);

/** As records name it. */
const operationOf = ({ from, none }: Pick<Asked, 'from' | 'none'>): string =>
  from !== undefined ? 'promote' : none ? 'delete' : 'apply';

const portalsOf = ({
  portal,
  from = portal,
}: {
  readonly portal: string;
  readonly from?: string;
}): string[] => [portal, from];

/** What makes a change another one than an earlier one with its request ID. The values of a source may have changed. */
const requestOf = (
  { config }: Context,
  { kind, portal, from, content, saved, none, hosts }: Omit<Asked, 'requestId'>,
): object => ({
  kind,
  portal: portalRefOf(config, portal),
  from: from === undefined ? undefined : portalRefOf(config, from),
  content,
  saved,
  none,
  hosts,
});

/** What every change has, as it is asked for. */
interface Change {
  readonly operation: string;
  readonly portal: string;
  readonly from?: string;
  readonly reason?: string;
}

type Details<Input extends ChangeInput> = Omit<Input, keyof ChangeInput>;

/** Starts the run of a change, unless its request ID has started it before. Throws NO_WORKER and NO_USER. */
async function change(
  context: Acting,
  kind: RunKind,
  { operation, reason, ...ends }: Change,
  asked: object,
  prepare: (runId: string) => Promise<Details<DocumentChangeInput> | Details<TaskRunInput>>,
): Promise<BegunRun> {
  const { config, may, requestId, begins } = context;
  may.have('operate');
  may.changeShared();
  const portal = portalRefOf(config, ends.portal);
  const from = ends.from === undefined ? undefined : portalRefOf(config, ends.from);
  const workers = await requireAbleWorkers(context, portalsOf(ends));
  const request = { requestId, asked };
  let started = await changeStartedBefore(kind, context, ends.portal, request);
  if (!started) {
    const runId = runIdFor(kind, ends.portal, requestId);
    const input = { runId, operation, portal, from, reason, ...(await prepare(runId)) };
    begins?.();
    started = await startChange<ChangeInput>(kind, context, input, request);
  }
  return { ...started, route: routeOfChange({ portal, from }), workers, planOnly: false };
}

/**
 * A portal's document and what it is to become. Throws if the account or the portal does not allow it, and `USAGE` for
 * what cannot be applied there.
 */
async function withChange<T, R>(
  form: DocumentForm<T>,
  context: Context,
  asked: Omit<Asked, 'requestId' | 'kind'>,
  work: (found: Found<T>, file: DocumentFile<T>) => R | Promise<R>,
): Promise<R> {
  const file = await wantedOf(form, context, asked);
  const { wanted } = file;
  return await withDocument(context, asked.portal, form.document, async (found, portal) => {
    if (!asked.none) form.requireApplicable(found, wanted);
    form.document.require(found, wanted);
    const warnings = [...file.warnings, ...(await form.concerns(found, wanted, portal))];
    return await work(found, { ...file, warnings });
  });
}

async function wantedOf<T>(
  form: DocumentForm<T>,
  context: Context,
  { portal, content, saved, from, none, hosts = {} }: Omit<Asked, 'requestId' | 'kind'>,
): Promise<DocumentFile<T>> {
  const given = [content, saved, from, none].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw new PortolanError('USAGE', 'A change needs exactly one of content, saved, from and none.');
  const { document, copied } = form;
  if (saved !== undefined) return { wanted: await readReplaced(form, context, portal, saved), warnings: [] };
  if (none && form.none !== undefined) return { wanted: form.none, warnings: [] };
  if (from !== undefined && copied) {
    if (isSamePortal(findPortal(context.config, from), findPortal(context.config, portal)))
      throw new PortolanError('SAME_PORTAL', `${from} and ${portal} are the same portal.`, {
        hint: 'Choose two portals.',
      });
    return await copiedFrom({ document, copied }, context, from, new Map(Object.entries(hosts)));
  }
  if (content === undefined)
    throw new PortolanError(
      'USAGE',
      `The ${document.title} of a portal cannot be ${none ? 'deleted' : 'copied'}.`,
    );
  return parsedFile(form, content);
}
