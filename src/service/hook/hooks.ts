import type { Config } from '../../config/config';
import { readDeliveries } from '../../domain/notify/deliveries';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { startOfHook } from '../run/hook-words';
import { callNote, type HookRow } from './hook-view';

/** Hooks and receivers, each with its last outcome. */
export async function readHooks(config: Pick<Config, 'hooks' | 'notify'>, store: Store): Promise<HookRow[]> {
  const coming = [...config.hooks.values()].map(async (hook): Promise<HookRow> => {
    const { value: last, why: altered } = await readUnaltered(store, keys.lastCall(hook.name), callNote);
    const { name } = hook;
    return {
      name,
      direction: 'in',
      signed: true,
      starts: startOfHook(hook),
      ...(last && { last }),
      ...(altered !== undefined && { altered }),
    };
  });
  const going = config.notify.map(async (receiver): Promise<HookRow> => {
    const { name, on } = receiver;
    const signed = 'webhook' in receiver && receiver.secret.length > 0;
    const to = 'webhook' in receiver ? 'webhook' : 'command';
    return { name, direction: 'out', signed, to, on, ...(await readDeliveries(store, name)) };
  });
  return await Promise.all([...coming, ...going]);
}
