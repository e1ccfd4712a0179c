import { callNote, type hookOperations, type HookRow } from '../../contract/hooks';
import { readDeliveries } from '../../domain/notify/deliveries';
import { PortolanError } from '../../model/errors/errors';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { Handlers } from '../context';
import { startOfHook } from '../run/run-words';

export const hookHandlers: Handlers<typeof hookOperations> = {
  async listHooks({ config, store }) {
    const coming = [...config.hooks.values()].map(async (hook): Promise<HookRow> => {
      const { value: last, why: altered } = await readUnaltered(store, keys.lastCall(hook.name), callNote);
      return { name: hook.name, direction: 'in', signed: true, starts: startOfHook(hook), last, altered };
    });
    const going = config.notify.map(async (receiver): Promise<HookRow> => {
      const { name, on } = receiver;
      const signed = 'webhook' in receiver && receiver.secret.length > 0;
      const format = 'webhook' in receiver ? receiver.format : 'command';
      const to = format === 'json' ? 'webhook' : format;
      return { name, direction: 'out', signed, to, on, ...(await readDeliveries(store, name)) };
    });
    return await Promise.all([...coming, ...going]);
  },

  async testReceiver({ config: { hooks, notify }, store, may }, { hook: name }) {
    may.changeShared();
    const receiver = notify.find((each) => each.name === name);
    if (hooks.has(name)) throw signsNothing(name);
    if (!receiver) {
      const names = [...hooks.keys(), ...notify.map((each) => each.name)];
      throw new PortolanError('NOT_FOUND', `portolan.yaml has no hook "${name}".`, {
        hint: `Defined hooks: ${names.join(', ') || 'none'}`,
      });
    }
    const { testReceiver } = await import('./test-hook.js');
    const problem = await testReceiver(store, receiver);
    return { name, delivered: problem === undefined, problem };
  },
};

/** A signed call would let the caller start a run in the name of the hook. */
const signsNothing = (name: string): PortolanError =>
  new PortolanError('USAGE', `${name} is an incoming hook; the server does not sign calls for it.`, {
    hint: "Sign the call where the hook's secret is: on the server or on the calling machine.",
  });
