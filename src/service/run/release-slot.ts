import { z } from 'zod';
import type { Config } from '../../config/config';
import { PortolanError } from '../../model/errors/errors';
import {
  type SlotHolder,
  portalQueueId,
  portalQueueMessages,
  type PortalQueueAddress,
  type SlotRelease,
  directions,
} from '../../model/run/portal-queue';
import { findPortal } from '../../config/resolve-route';
import type { PortalQueueView } from '../portal-queue/queue-view';
import { readPortalQueue } from '../portal-queue/read-portal-queues';
import { openControl } from '../../domain/control/control';
import type { WriteContext } from './run-sources';
import { delivery, sendAnswer } from './send-answer';

/** Result of a release. */
export const releasedSlot = delivery.extend({
  queue: z.string(),
  runId: z.string(),
  released: z.literal(true),
});
export type ReleasedSlot = Readonly<z.infer<typeof releasedSlot>>;

const hint = 'See who holds a slot with: portolan queue list';

/** Parses `PORTAL/export` or `PORTAL/import`. Throws `USAGE` otherwise. */
export function parseQueueName(text: string): Pick<PortalQueueAddress, 'portal' | 'direction'> {
  const [, portal, word] = /^(.+)\/([^/]*)$/.exec(text) ?? [];
  const direction = directions.find((each) => each === word);
  if (portal !== undefined && direction !== undefined) return { portal, direction };
  throw new PortolanError('USAGE', `"${text}" is not a portal queue. Write PORTAL/export or PORTAL/import.`, {
    hint: 'List portal queues with: portolan queue list',
  });
}

/** Throws `USAGE` if it is not a portal queue, and `PORTAL_NOT_FOUND` with the defined names. */
export function portalQueueAddress(config: Config, text: string): PortalQueueAddress {
  const { portal, direction } = parseQueueName(text);
  return { taskQueue: config.temporal.taskQueue, portal: findPortal(config, portal).name, direction };
}

/**
 * Finds a slot's holder by its ID or the end of it. Throws `USAGE` if it is not a portal queue or several match,
 * `PORTAL_NOT_FOUND`, and `RUN_NOT_FOUND`.
 * @param name `PORTAL/export` or `PORTAL/import`
 */
export async function seekHolder(
  { config, temporal }: Omit<Releasing, 'asker'>,
  name: string,
  text: string,
): Promise<{ readonly address: PortalQueueAddress; readonly holder: SlotHolder }> {
  const address = portalQueueAddress(config, name);
  return { address, holder: findHolder(name, await readPortalQueue(temporal, address), text) };
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

/** The context and user of the release. */
type Releasing = Pick<WriteContext, 'config' | 'temporal' | 'asker'>;

/** Frees a run's slot. Throws `RUN_NOT_FOUND` if the portal queue has ended. */
export async function releaseSlot(
  at: Releasing,
  address: PortalQueueAddress,
  { runId, since }: SlotHolder,
  reason: string,
): Promise<ReleasedSlot> {
  const { who, identity } = at.asker;
  const workflowId = portalQueueId(address);
  const { release: name } = portalQueueMessages;
  const message: SlotRelease = { runId, since, who, reason };
  const signed = (await openControl(at.config)).signAnswer(name, workflowId, message, identity);
  const queue = `${address.portal}/${address.direction}`;
  const over = new PortolanError('RUN_NOT_FOUND', `${runId} no longer holds a slot of ${queue}.`, { hint });
  return {
    queue,
    runId,
    released: true,
    ...(await sendAnswer(at, { workflowId, name, hint, over }, signed)),
  };
}
