import type { Config } from '../../config/config';
import type { Freeze } from '../../domain/policy/decide';
import { Policy } from '../../domain/policy/policy';
import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import { timeWords } from '../../model/text/words';
import type { Store } from '../../store/store';
import type { Freezes, FreezeRequest, Frozen, UnfreezeRequest, Unfrozen } from './freeze-view';

interface Sources {
  readonly config: Config;
  readonly store: Store;
}

/** Freezes and unfreezes, including ended ones. @default of all */
export const readFreezes = async ({ config, store }: Sources, portal?: string): Promise<Freezes> =>
  await new Policy(config, store).freezeLog(portal);

/** Blocks writes until it is unfrozen. Throws `PORTAL_FROZEN` if it is frozen already, and for unknown names. */
export async function freezePortal(
  { config, store }: Sources,
  { portal, reason }: FreezeRequest,
  who: string,
): Promise<Frozen> {
  const policy = new Policy(config, store);
  const was = await policy.freezeOf(portal);
  if (was)
    throw new PortolanError('PORTAL_FROZEN', `${portal} is already frozen: ${frozenBy(was)}`, {
      hint: `To freeze it for another reason, first: portolan unfreeze ${portal}`,
    });
  const freeze: Freeze = { portal, who, at: Date.now(), reason };
  await policy.freeze(freeze);
  return { ...freeze, frozen: true };
}

/** Allows writes again. */
export async function unfreezePortal(
  { config, store }: Sources,
  { portal, reason }: UnfreezeRequest,
  who: string,
): Promise<Unfrozen> {
  const was = await new Policy(config, store).unfreeze({ portal, who, at: Date.now(), reason });
  return { portal, frozen: false, ...(was === 'altered' ? { altered: true } : { was }) };
}

const frozenBy = ({ who, at, reason }: Freeze): string => oneLine(`${who} since ${timeWords(at)}: ${reason}`);
