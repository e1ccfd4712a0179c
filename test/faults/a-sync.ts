import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import {
  directions,
  portalQueueId,
  portalQueueMemoKey,
  type PortalQueueState,
} from '../../src/model/run/portal-queue';
import { ledgerLists } from '../../src/model/transfer/ledger-lists';
import type { RunRecord } from '../../src/model/run/run';
import type { Route } from '../../src/model/transfer/route';
import { editLayer } from '../../src/simulator/edit-layer';
import { transportItems } from '../../src/simulator/seed/transport';
import { builtInUsers } from '../../src/simulator/seed/users';
import type { Simulator } from '../../src/simulator/simulator';
import { Site, type SiteOptions } from '../support/site';
import { type Shape, type Side, sides } from './endpoints';
import { type TargetItem, targetItems } from './target-items';

/** What one sync came to. What does not depend on chance is equal after every sync that succeeded. */
export interface Came {
  readonly status: RunRecord['status'];
  readonly error?: RunRecord['error'];
  readonly target: RunRecord['target'];
  /** In how many packages it went. */
  readonly parts: number;
  /** Ids of the ledger's lists. */
  readonly ledger: Readonly<Record<string, readonly string[]>>;
  readonly verification?: RunRecord['verification'];
  readonly warnings: readonly string[];
  /** Everything that the target holds. */
  readonly items: readonly TargetItem[];
  /** Packages on either portal, those in a recycle bin included. */
  readonly packages: readonly string[];
  /** Kinds of the jobs that each portal has begun. */
  readonly jobs: Readonly<Record<Side, readonly string[]>>;
  /** Runs that hold or wait for a slot. */
  readonly portalQueues: readonly string[];
  /** The parking of the run and what somebody then did. */
  readonly parked?: RunRecord['parked'];
  /** Imports that were posted before a person decided anything, and after. */
  readonly imports: { readonly unasked: number; readonly decided: number };
}

/**
 * Portals as new as can be, so that every call is made, whose account may read everything; the target holds some of
 * the items already. Where only what changed is to go, everything was brought before, and somebody has made edits since;
 * of two packages each overwrites what was brought before.
 */
export async function openSite(shape: Shape, portals: Record<string, unknown> = {}): Promise<Site> {
  const mark = randomBytes(3).toString('hex');
  const options: SiteOptions = {
    source: { version: '11.4', redirect: true },
    target: { version: '11.4', redirect: true },
    names: { source: `staging-${mark}`, target: `production-${mark}` },
    fullSize: shape === 'in parts',
    portals,
    // Less than the items weigh together.
    ...(shape === 'two packages' && { config: { limits: { packageBytes: 1_100_000 } } }),
  };
  const site = await Site.open(options);
  for (const side of sides) makeAdministrator(site[side]);
  if (shape === 'what changed' || shape === 'two packages') await bringAll(site);
  if (shape === 'what changed') await edit(site);
  for (const side of sides) site[side].clearRequests();
  return site;
}

const { csv, roads, boundaries } = transportItems;

async function bringAll(site: Site): Promise<void> {
  const { record } = await site.sync(routeOf(site));
  if (record.status !== 'succeeded') throw new Error(`the sync before ended ${record.status}`);
}

/** A record and rows of the source are edited, and rows of the target. */
async function edit({ source, target }: Site): Promise<void> {
  source.world.items.change(csv, { title: 'Edited', modified: source.world.now() });
  await addRow(source, roads);
  await addRow(target, boundaries);
}

async function addRow({ world }: Simulator, itemId: string): Promise<void> {
  const service = world.services.find((each) => each.itemId === itemId);
  await editLayer(world, service?.path ?? '', 0, { adds: [{ attributes: {} }], rollback: true });
}

/** @param full everything goes, also what nobody has touched */
const routeOf = (site: Site, full = false): Route => site.route({ overwrite: true, data: 'replace', full });

/** Only administrators may read the disks of a portal; the owner of the items is one here. */
function makeAdministrator({ world }: Simulator): void {
  const { role, privileges } = world.users.get(builtInUsers.admin.username)!;
  world.users.change(builtInUsers.owner.username, { role, privileges });
}

/** One overwriting sync, with a safeguard, to its end; a run that parks is resumed as its record says. */
export async function oneSync(site: Site, shape: Shape): Promise<Came> {
  let ended = await site.sync(routeOf(site, shape === 'two packages'));
  const { parked } = ended.record;
  const unasked = importsOf(site);
  if (parked) ended = await site.resume(ended.handle);
  // The record may be that of the parked run for a moment.
  while (parked && ended.record.parked?.count === parked.count) {
    await sleep(200);
    ended = await site.ended(ended.handle);
  }
  const { record, runId } = ended;
  const ledger = await site.ledger(runId).catch(() => undefined);
  return {
    status: record.status,
    error: record.error,
    target: record.target,
    parts: record.package?.parts ?? 1,
    ledger: Object.fromEntries(
      ledgerLists.map((name) => [name, ledger?.[name].map(({ itemId }) => itemId).sort() ?? []]),
    ),
    verification: record.verification,
    warnings: [...record.warnings].sort(),
    items: await targetItems(site),
    packages: site.packages(),
    jobs: { source: jobsOf(site.source), target: jobsOf(site.target) },
    portalQueues: await queuesOf(site),
    parked,
    imports: { unasked, decided: importsOf(site) - unasked },
  };
}

/** Imports that were posted, less those that the portal refused before it began anything. */
const importsOf = ({ target }: Site): number =>
  target
    .requests()
    .filter(({ operation, params }) => operation === 'group.import' && params['previewOnly'] !== 'true')
    .filter(({ status, errorCode }) => status !== 429 && errorCode !== 498).length;

const jobsOf = ({ world }: Simulator): string[] => [...world.jobs.values()].map(({ type }) => type);

async function queuesOf(site: Site): Promise<string[]> {
  const { source, target } = site.route();
  const queueIds = [source.portal, target.portal].flatMap((portal) =>
    directions.map((direction) =>
      portalQueueId({ taskQueue: site.config.temporal.taskQueue, portal, direction }),
    ),
  );
  const held = await Promise.all(queueIds.map((queueId) => heldAt(site, queueId)));
  return held.flat();
}

/** A portal queue ends when no run is in it. */
async function heldAt({ temporal }: Site, queueId: string): Promise<string[]> {
  try {
    const { memo, status } = await temporal.client.workflow.getHandle(queueId).describe();
    const state = memo?.[portalQueueMemoKey] as PortalQueueState | undefined;
    if (status.name !== 'RUNNING' || !state) return [];
    return [...state.holders.map(({ runId }) => runId), ...state.waiting].map(
      (runId) => `${queueId}: ${runId}`,
    );
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return [];
    throw thrown;
  }
}

/** Faults that a portal has played. */
export const playedOn = (site: Site, side: Side): number =>
  site[side].requests().filter(({ fault }) => fault !== undefined).length;
