import { isOurs, packagesOf, removeItem, runOfPackage } from '../../domain/transfer/own-packages';
import { type PortalFacts, readPortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import { fileRunId } from '../../model/run/run-id';
import type { Portal } from '../../portal/client';
import { runRows } from '../run/run-rows';
import type { RunSources } from '../run/run-sources';
import type { Leftover } from './transfer-views';

/** Packages of ours among what the account owns on a portal, in its root and its folders. */
export async function findLeftovers(portal: Portal, openRuns: ReadonlySet<string>): Promise<Leftover[]> {
  const facts = await readPortalFacts(portal);
  const open = new Set([...openRuns].map(fileRunId));
  const placed = (await packagesOf(portal, userOf(facts))).filter(({ item }) => isOurs(item));
  return placed.map(({ item, folderId }) => {
    const runId = runOfPackage(item);
    return {
      portal: portal.name,
      itemId: item.id,
      folderId,
      title: item.title ?? item.id,
      size: item.size,
      created: item.created,
      runId,
      state: runId !== undefined && open.has(fileRunId(runId)) ? 'in use' : 'left over',
      removed: false,
    };
  });
}

/** Removes what is left over, past the recycle bin where there is one; `onFailure` hears of what stays. */
export async function removeLeftovers(
  portal: Portal,
  leftovers: readonly Leftover[],
  onFailure: (thrown: unknown) => void,
): Promise<Leftover[]> {
  const facts = await readPortalFacts(portal);
  const owner = userOf(facts);
  const done: Leftover[] = [];
  for (const leftover of leftovers) {
    const { itemId, folderId } = leftover;
    let removed = false;
    try {
      if (leftover.state === 'left over') {
        await removeItem(portal, { owner, itemId, folderId, permanent: facts.recycleBin });
        removed = true;
      }
    } catch (thrown) {
      onFailure(thrown);
    }
    done.push({ ...leftover, removed });
  }
  return done;
}

/** Ids of runs that can still go on. Throws `TEMPORAL_UNREACHABLE` where Temporal cannot say. */
export async function openRunIds(sources: Required<RunSources>): Promise<ReadonlySet<string>> {
  const rows = await runRows(sources);
  return new Set(rows.filter(({ finishedAt }) => finishedAt === undefined).map(({ runId }) => runId));
}

function userOf({ name, username }: PortalFacts): string {
  if (username !== undefined) return username;
  throw new PortolanError(
    'NO_USER',
    `The credentials for ${name} belong to no user, so nothing there is ours.`,
    { portal: name },
  );
}
