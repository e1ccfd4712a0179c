import type { freezeOperations } from '../../contract/freezes';
import type { Freeze } from '../../domain/policy/decide';
import { Policy } from '../../domain/policy/policy';
import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import { timeWords } from '../../model/text/words';
import type { Handlers } from '../context';
import type { May } from '../may';

export const freezeHandlers: Handlers<typeof freezeOperations> = {
  listFreezes: ({ config, store }, { portal }) => new Policy(config, store).freezeLog(portal),

  async freeze({ config, store, asker, may }, { portal, reason }) {
    requireMayFreeze(may, portal);
    const policy = new Policy(config, store);
    const was = await policy.freezeOf(portal);
    if (was)
      throw new PortolanError('PORTAL_FROZEN', `${portal} is already frozen: ${frozenBy(was)}`, {
        hint: `To freeze it for another reason, first: portolan unfreeze ${portal}`,
      });
    const freeze: Freeze = { portal, who: asker.who, at: Date.now(), reason };
    await policy.freeze(freeze);
    return { ...freeze, frozen: true };
  },

  async unfreeze({ config, store, asker, may }, { portal, reason }) {
    requireMayFreeze(may, portal);
    const unfreeze = { portal, who: asker.who, at: Date.now(), reason };
    const was = await new Policy(config, store).unfreeze(unfreeze);
    return { portal, frozen: false, ...(was === 'altered' ? { altered: true } : { was }) };
  },
};

/** Freezing a stage takes a right for its pipeline; freezing a portal takes an unlimited one. */
function requireMayFreeze(may: May, portal: string): void {
  const [pipeline = '', stage] = portal.split('/');
  if (stage === undefined) may.changeShared();
  else may.changeNamed('pipelines', pipeline);
}

const frozenBy = ({ who, at, reason }: Freeze): string => oneLine(`${who} since ${timeWords(at)}: ${reason}`);
