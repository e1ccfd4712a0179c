import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import type { CarriedPackage } from '../../../model/transfer/stored-package';
import { startMultipart } from '../../../portal/resources/items/add-item';
import { isRepeat, stopSignal } from '../../attempt/heartbeat';
import type { ActivityDeps } from '../../deps';
import { bringPackage, type DownloadPackage } from '../downloads';
import { requireUser } from '../exports';
import { findMade, packageFields } from '../upload-item';
import { Carrier } from './carrier';

export interface CarryPackage extends DownloadPackage {
  readonly runId: string;
  readonly target: PortalFacts;
  /** Index of the package, from 0. */
  readonly part: number;
  /** The run has tried before, so it looks for its package item first. @default false */
  readonly again?: boolean;
}

/**
 * Downloads a package into the store and uploads its parts to the target meanwhile. Creates the package item, whose ID
 * is derived from the run, once the size is known and allowed. Commits nothing. Errors of the target are ignored here.
 * Throws what `downloadPackage` throws.
 */
export async function carryPackage(deps: ActivityDeps, input: CarryPackage): Promise<CarriedPackage> {
  const { portals, authority } = deps;
  const { runId, target, part } = input;
  const portal = portals.open(target.name);
  const signal = stopSignal();
  // A lost response may have left an item behind, so a repeat looks before it creates one.
  const mayHold = isRepeat() || input.again === true;
  let mayBeMade = mayHold;
  const ofRun = { runId, portal: target, part };
  const fields = packageFields(ofRun);
  const open = async (): Promise<string> => {
    await authority.require(runId, { target: { portal: target.name }, isOurs: true });
    const made = mayBeMade ? await findMade(portal, fields, ofRun, signal) : undefined;
    mayBeMade = true;
    return made ?? (await startMultipart(portal, fields, { signal })).id;
  };
  let carrier: Carrier | undefined;
  const stored = await bringPackage(deps, input, (partial, watch) => {
    const relays = watch.relays.bind(watch);
    const onwards = { portal, username: requireUser(target), signal, open, relays };
    const earlier = { sent: watch.sent, isRepeat: mayHold };
    return (carrier = new Carrier({ ...onwards, ...earlier }, partial, input.packageBytes));
  });
  const carried = carrier?.result;
  return { ...stored, ...(carried && { carried }) };
}
