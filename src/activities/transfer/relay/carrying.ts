import type { PortalFacts } from '../../../domain/transfer/portal-facts';
import type { CarriedPackage } from '../../../model/transfer/stored-package';
import { startMultipart } from '../../../portal/resources/items/add-item';
import { isRepeat, stopSignal } from '../../attempt/heartbeat';
import type { ActivityDeps } from '../../deps';
import { bringPackage, type DownloadPackage } from '../downloads';
import { requireUser } from '../exports';
import { findMade, packageFields } from '../upload-item';
import { CarriedNote } from './carried-note';
import { Carrier } from './carrier';

export interface CarryPackage extends DownloadPackage {
  readonly runId: string;
  readonly target: PortalFacts;
  /** Number of the package, from 0. */
  readonly part: number;
  /** The run has tried before: its package item is looked for before one is made. @default false */
  readonly again?: boolean;
}

export function createCarryActivities(deps: ActivityDeps) {
  const { portals, store, authority } = deps;
  return {
    /**
     * Fetches a package into the store, and sends its parts on to the target as they come. Once the size is known, and
     * is allowed, the package item is made on the target, under the id that is derived from the run; nothing is committed.
     * What fails on the target fails nothing here. Throws what `downloadPackage` throws.
     */
    async carryPackage(input: CarryPackage): Promise<CarriedPackage> {
      const { runId, target, part } = input;
      const portal = portals.open(target.name);
      const signal = stopSignal();
      // An answer that was lost leaves an item behind: whoever comes again looks before they make another.
      let mayBeMade = isRepeat() || input.again === true;
      const ofRun = { runId, portal: target, part };
      const fields = packageFields(ofRun);
      const note = await CarriedNote.read(store, runId);
      const open = async (): Promise<string> => {
        await authority.require(runId, { target: { portal: target.name }, isOurs: true });
        const made = mayBeMade ? await findMade(portal, fields, ofRun, signal) : undefined;
        mayBeMade = true;
        return made ?? (await startMultipart(portal, fields, { signal })).id;
      };
      let carrier: Carrier | undefined;
      const stored = await bringPackage(deps, input, (partial) => {
        const onwards = { portal, username: requireUser(target), note, signal, open };
        return (carrier = new Carrier(onwards, partial, input.packageBytes));
      });
      const carried = carrier?.result;
      return { ...stored, ...(carried && { carried }) };
    },
  };
}
