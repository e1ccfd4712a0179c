import type { JobHandle } from '../../model/transfer/job';
import { jobLists } from '../../model/transfer/job-lists';
import type { Portal } from '../../portal/client';
import type { ImportLists, StartedJob } from '../../portal/http/transfer-answer';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { sealKey } from '../run/sealed-key';

/** `ended`: the portal did the work at once, or is known to have done it though its answer was lost. */
export type ImportStarted =
  | (JobHandle & { readonly startedAt: number })
  | { readonly kind: 'ended'; readonly lists: 'known' | 'unknown' };

/** An import's answer as it may travel through history: the job's key sealed, the lists in the store. */
export async function importStarted(
  portal: Portal,
  store: Store,
  answer: StartedJob | ImportLists,
  { runId, startedAt }: { runId: string; startedAt: number },
): Promise<ImportStarted> {
  if (answer.kind === 'job') {
    const sealedKey = answer.key && sealKey(await portal.sealingSecret(), runId, answer.key);
    return { kind: 'job', jobId: answer.jobId, sealedKey: sealedKey || undefined, startedAt };
  }
  const lists = jobLists.parse({ done: answer.imported, skipped: answer.skipped, failed: answer.failed });
  await store.writeJson(keys.jobLists(runId, 'import'), lists);
  return { kind: 'ended', lists: 'known' };
}
