import { createHash } from 'node:crypto';
import { SETTLE_MS } from '../../model/errors/budgets';
import type { Portal } from '../../portal/client';
import { findItem } from '../../portal/resources/items/items';
import { notYet } from '../attempt/failure';
import { lastProgress, progress } from '../attempt/heartbeat';
import type { Intent } from '../attempt/post-once';
import { listGroup } from '../../portal/resources/groups';
import { type JobHandle, jobLists } from '../../model/transfer/job';
import type { ResultLists, StartedJob } from '../../portal/http/transfer-answer';
import { keys } from '../../store/keys';
import type { ActivityDeps } from '../deps';
import { sealJob } from '../run/sealed-key';
import { activityTime } from '../attempt/clock';

interface WatchedImport {
  readonly portal: Portal;
  readonly groupId: string;
  readonly packageItemId: string;
}

const LOOK_AGAIN_MS = 5_000;

/** How long the target has not changed; kept in the heartbeat. */
interface Watching {
  /** `id` is that of the request whose response was lost. */
  readonly stillness: { readonly id: string; readonly fingerprint: string; readonly since: number };
}

/**
 * What a request whose response was lost did, as the target shows it: an import deletes its package at its end.
 * `still`: nothing has changed for `SETTLE_MS`. Throws "not yet" until either is certain.
 */
export async function importSeen(
  watched: WatchedImport,
  { id }: Pick<Intent, 'id'>,
  what: string,
): Promise<'finished' | 'still'> {
  const { portal, packageItemId } = watched;
  if (!(await findItem(portal, packageItemId))) return 'finished';
  const fingerprint = await fingerprintOf(watched);
  const { stillness: last } = lastProgress<Watching>();
  // Later readings are compared with the first one after the lost response.
  const since = last?.id === id && last.fingerprint === fingerprint ? last.since : activityTime();
  progress({ stillness: { id, fingerprint, since } });
  if (activityTime() - since >= SETTLE_MS) return 'still';
  throw notYet(`the response to ${what} was lost; watching the target instead`, LOOK_AGAIN_MS);
}

/** Changes whenever an item of the target group changes. */
async function fingerprintOf({ portal, groupId }: WatchedImport): Promise<string> {
  const items = await listGroup(portal, groupId);
  const facts = [...items.values()].map((item) => `${item.id} ${item.modified ?? ''}`).sort();
  return createHash('sha256').update(facts.join('\n')).digest('hex');
}

/** A portal's response to an import. */
export type ImportAnswer = StartedJob | ResultLists;

/** `ended`: the portal did the work at once, or is known to have done it although its response was lost. */
export type ImportStarted =
  | (JobHandle & { readonly startedAt: number })
  | { readonly kind: 'ended'; readonly lists: 'known' | 'unknown' };

/** An import's response for history: the job key sealed, the lists in the store. */
export async function importStarted(
  deps: Pick<ActivityDeps, 'store' | 'openControl'>,
  answer: ImportAnswer,
  { runId, startedAt, packageIndex }: { runId: string; startedAt: number; packageIndex: number },
): Promise<ImportStarted> {
  if (answer.kind === 'job') return { ...(await sealJob(deps, runId, answer)), startedAt };
  const lists = jobLists.parse(answer);
  await deps.store.writeJson(keys.jobLists(runId, 'import', packageIndex), lists);
  return { kind: 'ended', lists: 'known' };
}
