import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../client';
import { optionalId } from '../http/ids';
import { pathOf } from '../http/address';
import { anyObject, label, toList, toRecord, toText } from '../http/reading';
import type { CallOptions } from '../http/request';

type JobPhase = 'running' | 'succeeded' | 'failed';

const succeeded: ReadonlySet<string> = new Set(['succeeded', 'completed', 'complete']);
const failed: ReadonlySet<string> = new Set([
  'failed',
  'failure',
  'error',
  'aborted',
  'cancelled',
  'canceled',
  'timedout',
]);

/** What a status word means, in any case; a word that is not known is still running. docs/reference/portal-interface.md, "Jobs" */
export function classifyJobStatus(word: string | undefined): JobPhase {
  const plain = (word ?? '').toLowerCase().replace(/[^a-z]/g, '');
  return succeeded.has(plain) ? 'succeeded' : failed.has(plain) ? 'failed' : 'running';
}

const toMessages = (value: unknown): string[] =>
  toList(value).flatMap((each) => {
    const words =
      toText(each) ?? toText(toRecord(each)?.['message']) ?? toText(toRecord(each)?.['description']);
    return words ? [words] : [];
  });

const jobRecord = z.looseObject({
  id: optionalId('job'),
  status: label,
  messages: z.unknown().transform(toMessages).optional(),
  result: anyObject.nullish().catch(undefined),
});

export type Job = Omit<z.infer<typeof jobRecord>, 'status' | 'messages'> & {
  /** The portal's word, as it came; '' where there is none. */
  readonly status: string;
  readonly messages: string[];
  readonly phase: JobPhase;
};

/**
 * A job's record. It is looked for under the portal's real id, then under `self`. A job that failed is a
 * record with `phase: 'failed'`, not an error. The key goes into the query, the one place where the
 * interface takes it. docs/reference/portal-interface.md, "Jobs"
 *
 * @param portalId the portal's own id; undefined where it is not known
 * @throws PortolanError JOB_LOST where the portal knows no such job under either id
 */
export async function readJob(
  portal: Portal,
  portalId: string | undefined,
  jobId: string,
  { key }: { key?: string },
  options?: CallOptions,
): Promise<Job> {
  const read = (id: string) =>
    portal.call(
      {
        operation: 'job.read',
        path: pathOf`portals/${id}/jobs/${jobId}`,
        params: { key },
        secrets: key ? [key] : [],
        schema: jobRecord,
        statusIsData: true,
        missing: 'JOB_LOST',
      },
      options,
    );
  let record;
  try {
    record = await read(portalId || 'self');
  } catch (error) {
    if (!portalId || portalId === 'self' || !PortolanError.is(error, 'JOB_LOST')) throw error;
    record = await read('self');
  }
  const status = record.status ?? '';
  return { ...record, status, messages: record.messages ?? [], phase: classifyJobStatus(status) };
}
