import type { Config } from '../../config/config';
import { Deliveries } from '../../domain/notify/deliveries';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { startOfHook } from '../run/hook-words';
import { readNote } from '../run/run-sources';
import { callNote, type HookRow } from './hook-view';

/** Hooks and receivers, each with its last outcome. */
export async function readHooks(config: Pick<Config, 'hooks' | 'notify'>, store: Store): Promise<HookRow[]> {
  const deliveries = new Deliveries(store);
  const coming = [...config.hooks.values()].map(async (hook): Promise<HookRow> => {
    const { value: last } = await readNote(store, keys.lastCall(hook.name), callNote);
    const { name } = hook;
    return { name, direction: 'in', signed: true, starts: startOfHook(hook), ...(last && { last }) };
  });
  const going = config.notify.map(async (receiver): Promise<HookRow> => {
    const { name, on } = receiver;
    const signed = 'webhook' in receiver && receiver.secret.length > 0;
    const to = 'webhook' in receiver ? 'webhook' : 'command';
    return { name, direction: 'out', signed, to, on, ...(await deliveries.of(name)) };
  });
  return await Promise.all([...coming, ...going]);
}
