import { createHash } from 'node:crypto';
import { SETTLE_MS } from '../../model/errors/budgets';
import type { Portal } from '../../portal/client';
import { findItem } from '../../portal/resources/items/items';
import { notYet } from '../attempt/failure';
import { stopSignal } from '../attempt/heartbeat';
import type { Intent, IntentFile } from '../attempt/intent';
import { listGroup } from '../../portal/resources/groups';
import type { JobHandle } from '../../model/transfer/job';
import { jobLists } from '../../model/transfer/job-lists';
import type { ImportLists, StartedJob } from '../../portal/http/transfer-answer';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { sealKey } from '../run/sealed-key';
import { serverTime } from '../attempt/clock';

export interface WatchedImport {
  readonly portal: Portal;
  readonly groupId: string;
  readonly packageItemId: string;
}

const LOOK_AGAIN_MS = 5_000;

/** Saved before a request that imports, or may be taken for an import. */
export const importIntent = (): Intent => ({ at: serverTime(), round: 1, seen: [] });

/**
 * What a request whose response was lost did, as the target shows it: an import deletes its package at its end.
 * `still`: nothing has changed for `SETTLE_MS`. Throws "not yet" until either is certain.
 */
export async function importSeen(
  watched: WatchedImport,
  intents: IntentFile,
  noted: Intent,
  what: string,
): Promise<'finished' | 'still'> {
  const { portal, packageItemId } = watched;
  if (!(await findItem(portal, packageItemId, { signal: stopSignal() }))) return 'finished';
  const fingerprint = await fingerprintOf(watched);
  // Later readings are compared with the first one after the lost response.
  const stillSince = fingerprint === noted.fingerprint ? (noted.stillSince ?? noted.at) : serverTime();
  await intents.write({ ...noted, fingerprint, stillSince });
  if (serverTime() - stillSince >= SETTLE_MS) return 'still';
  throw notYet(`the response to ${what} was lost; watching the target instead`, LOOK_AGAIN_MS);
}

/** Changes whenever an item of the target group changes. */
async function fingerprintOf({ portal, groupId }: WatchedImport): Promise<string> {
  const items = await listGroup(portal, groupId, stopSignal());
  const facts = [...items.values()].map((item) => `${item.id} ${item.modified ?? ''}`).sort();
  return createHash('sha256').update(facts.join('\n')).digest('hex');
}

/** `ended`: the portal did the work at once, or is known to have done it although its response was lost. */
export type ImportStarted =
  | (JobHandle & { readonly startedAt: number })
  | { readonly kind: 'ended'; readonly lists: 'known' | 'unknown' };

/** An import's response for history: the job key sealed, the lists in the store. */
export async function importStarted(
  { store, openControl }: Pick<ActivityDeps, 'store' | 'openControl'>,
  answer: StartedJob | ImportLists,
  { runId, startedAt, part }: { runId: string; startedAt: number; part?: number },
): Promise<ImportStarted> {
  if (answer.kind === 'job') {
    const sealedKey = answer.key && sealKey(await openControl(), runId, answer.key);
    return { kind: 'job', jobId: answer.jobId, sealedKey: sealedKey || undefined, startedAt };
  }
  const lists = jobLists.parse({ done: answer.imported, skipped: answer.skipped, failed: answer.failed });
  await store.writeJson(keys.jobLists(runId, 'import', part), lists);
  return { kind: 'ended', lists: 'known' };
}
