import type { startOperations } from '../../contract/starts';
import type { Handlers } from '../context';
import { prepareRestart } from './restart';

export const startHandlers: Handlers<typeof startOperations> = {
  async lookAtRestart(context, { run, from }) {
    const { signal } = context;
    const { takeover } = await prepareRestart(context, run, { from }, { isLook: true, signal });
    return { takeover };
  },
};
