import type { Config } from '../../config/config';
import type { Person } from '../../model/run/signature';
import type { TemporalClient } from '../../temporal/session';
import { PortolanError } from '../../model/errors/errors';
import {
  type SlotHolder,
  portalQueueId,
  portalQueueMessages,
  type PortalQueueAddress,
  type SlotRelease,
} from '../../model/run/portal-queue';
import { findPortal } from '../../config/resolve-route';
import { directions } from '../../model/run/portal-queue';
import { portalQueueName, type PortalQueueView } from './queue-view';
import { readPortalQueue } from './portal-queues';
import { openControl } from '../../domain/control/control';
import { type Delivery, isOver, sendUpdate } from '../../temporal/send-update';

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
interface Releasing {
  readonly config: Config;
  readonly temporal: TemporalClient;
  readonly asker: Person;
}

/** Frees a run's slot. Throws `RUN_NOT_FOUND` if the run gave it up meanwhile. */
export async function releaseSlot(
  { config, temporal, asker: { who, identity } }: Releasing,
  address: PortalQueueAddress,
  { runId, since }: SlotHolder,
  reason: string,
): Promise<Delivery> {
  const workflowId = portalQueueId(address);
  const { release: name } = portalQueueMessages;
  const message: SlotRelease = { runId, since, who, reason };
  try {
    const control = await openControl(config);
    const signed = control.signAnswer(name, workflowId, message, identity);
    // Temporal keeps an update's outcome under its ID, so each attempt needs another ID.
    const updateId = control.updateId(workflowId, `${name}-${signed.proof.nonce}`);
    return await sendUpdate(temporal, { workflowId, name, updateId, hint }, signed);
  } catch (thrown) {
    if (!isOver(thrown)) throw thrown;
    throw new PortolanError(
      'RUN_NOT_FOUND',
      `${runId} no longer holds a slot of ${portalQueueName(address)}.`,
      {
        hint,
      },
    );
  }
}
