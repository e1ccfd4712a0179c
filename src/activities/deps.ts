import type { Config } from '../config/config';
import { PortalPool, type Portals } from '../config/portal-pool';
import type { PortalOptions, Portal } from '../portal/client';
import { Authority } from '../domain/control/authority';
import { type Control, openControl } from '../domain/control/control';
import { Policy } from '../domain/policy/policy';
import { StageChecks } from '../domain/release/checks/stage-checks';
import { viewOf, workerName } from '../domain/run/worker-view';
import { openSnapshots, type Snapshots } from '../domain/snapshot/snapshots';
import type { WorkerView } from '../model/run/worker-view';
import { readGroupMembers } from '../portal/resources/groups';
import { attemptSignal } from './attempt/heartbeat';
import { openStore } from '../store/open-store';
import type { Store } from '../store/store';
import { isOneAddress } from '../model/identity';
import type { PortalRef } from '../model/portal-change/change';
import { PortolanError } from '../model/errors/errors';

/** What activities need; one object per worker process. */
export interface ActivityDeps {
  /** Defines promotions, whatever their starter says. */
  readonly config: Config;
  readonly portals: Portals;
  readonly store: Store;
  readonly snapshots: Snapshots;
  /** Used by preflight checks. */
  readonly policy: Policy;
  /** Checked immediately before every write to a portal. */
  readonly authority: Authority;
  /** Seals job keys. */
  readonly openControl: () => Promise<Control>;
  /** What this worker's configuration allows. */
  readonly view: () => Promise<WorkerView>;
  /** Checks after a promotion. */
  readonly checks: StageChecks;
  /** Open runs that this worker has added to the store's index. */
  readonly indexed: Set<string>;
}

/** Opens what the activities of this configuration need. @param clock for the windows of portals and for snapshots */
export async function openDeps(
  config: Config,
  clock: () => number,
  ended: PortalOptions['ended'],
): Promise<ActivityDeps & { readonly portals: PortalPool }> {
  const store = openStore(config);
  const snapshots = openSnapshots(config, store, clock);
  const portals = new PortalPool(config, undefined, { ended, signal: attemptSignal });
  const policy = new Policy(config, store, clock, (portal, group) =>
    readGroupMembers(portals.open(portal), group),
  );
  const control = (): Promise<Control> => openControl(config);
  return {
    config,
    portals,
    store,
    snapshots,
    policy,
    authority: new Authority(control, policy, store, clock),
    openControl: control,
    view: () => viewOf(config, store, workerName()),
    checks: new StageChecks(config, snapshots),
    indexed: new Set(),
  };
}

/** Describes the portals whose URL in the worker's configuration differs from the starter's. */
export const differingPortals = (portals: Portals, refs: readonly PortalRef[]): string[] =>
  refs.flatMap(({ portal, url }) => {
    const here = portals.urlOf(portal);
    if (here !== undefined && isOneAddress(here, url)) return [];
    return [`${portal} is ${url} here, but ${here ?? 'unknown'} on the worker`];
  });

/** The client of a portal the starter named. Throws CONFIG_MISMATCH if the worker's differs. */
export function openPortalRef(portals: Portals, ref: PortalRef): Portal {
  const differing = differingPortals(portals, [ref]);
  if (differing.length > 0) throw new PortolanError('CONFIG_MISMATCH', `${differing.join('; ')}.`);
  return portals.open(ref.portal);
}
