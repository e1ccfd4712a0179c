import { findPortal } from '../../config/resolve-route';
import type { PortalQueueView, queueOperations } from '../../contract/queues';
import { openControl } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';
import {
  type PortalQueueAddress,
  portalQueueId,
  portalQueueMessages,
  type SlotHolder,
  type SlotRelease,
} from '../../model/run/portal-queue';
import type { Handlers } from '../context';
import { readPortalQueue, readPortalQueues } from '../portal-queue/read-portal-queues';
import { portalQueueName } from '../portal-queue/queue-words';
import type { ReadContext } from './run-sources';
import { sendAnswer } from './send-answer';

export const queueHandlers: Handlers<typeof queueOperations> = {
  listQueues: ({ temporal, config }) => readPortalQueues(temporal, config),

  readHolder: async (context, slot) => (await seekHolder(context, slot)).holder,

  async releaseSlot(context, { reason, since, ...slot }) {
    const { config, temporal, asker, may } = context;
    may.changeShared();
    const { address, holder } = await seekHolder(context, slot);
    const { runId } = holder;
    const workflowId = portalQueueId(address);
    const { release: name } = portalQueueMessages;
    const message: SlotRelease = { runId, since: since ?? holder.since, who: asker.who, reason };
    const signed = (await openControl(config)).signAnswer(name, workflowId, message, asker.identity);
    const queue = portalQueueName(address);
    const over = new PortolanError('RUN_NOT_FOUND', `${runId} no longer holds a slot of ${queue}.`, { hint });
    const sent = await sendAnswer({ config, temporal }, { workflowId, name, hint, over }, signed);
    return { queue, runId, released: true, ...sent };
  },
};

const hint = 'See who holds a slot with: portolan queue list';

/** A slot of a portal queue, and the run that is said to hold it. */
interface Slot extends Omit<PortalQueueAddress, 'taskQueue'> {
  /** Its ID, or the end of it. */
  readonly run: string;
}

/** Finds a slot's holder. Throws `PORTAL_NOT_FOUND` with the defined names, `USAGE` if several match, and `RUN_NOT_FOUND`. */
async function seekHolder(
  { config, temporal }: Pick<ReadContext, 'config' | 'temporal'>,
  { portal, direction, run }: Slot,
): Promise<{ readonly address: PortalQueueAddress; readonly holder: SlotHolder }> {
  const { taskQueue } = config.temporal;
  const address = { taskQueue, portal: findPortal(config, portal).name, direction };
  // Without Temporal no run is found; then its absence is reported.
  const queue = temporal && (await readPortalQueue(temporal, address));
  return { address, holder: findHolder(portalQueueName(address), queue, run) };
}

/** Finds it among known holders. */
export function findHolder(name: string, queue: PortalQueueView | undefined, text: string): SlotHolder {
  const holders = queue?.holders ?? [];
  const [only, ...others] = holders.filter(({ runId }) => runId.endsWith(text));
  if (only !== undefined && others.length === 0) return only;
  const list = holders.map(({ runId }) => `  ${runId}`).join('\n');
  if (only !== undefined)
    throw new PortolanError('USAGE', `"${text}" matches several runs:\n${list}`, { hint });
  const there = list === '' ? 'No run does.' : `Those that do:\n${list}`;
  throw new PortolanError('RUN_NOT_FOUND', `No run "${text}" holds a slot of ${name}. ${there}`, { hint });
}
