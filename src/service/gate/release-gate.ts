import type { Config } from '../../config/config';
import type { Person } from '../../model/run/proof';
import type { TemporalClient } from '../../temporal/session';
import { PortolanError } from '../../model/errors/errors';
import {
  type GateHolder,
  gateId,
  gateMessages,
  type GateAddress,
  type GateRelease,
} from '../../model/run/gate';
import { findPortal } from '../../config/resolve-route';
import { directions } from '../../model/run/gate';
import { gateName, type GateView } from './gate-view';
import { readGate } from './gates';
import { openControl } from '../../domain/control/control';
import { type Delivery, isOver, sendUpdate } from '../../temporal/send-update';

const hint = 'Look who holds what with: portolan gate list';

/** What somebody means by `PORTAL/export` or `PORTAL/import`. Throws `USAGE` for what is neither. */
export function gateParts(text: string): Pick<GateAddress, 'portal' | 'direction'> {
  const [, portal, word] = /^(.+)\/([^/]*)$/.exec(text) ?? [];
  const direction = directions.find((each) => each === word);
  if (portal !== undefined && direction !== undefined) return { portal, direction };
  throw new PortolanError('USAGE', `"${text}" is no gate; write PORTAL/export or PORTAL/import.`, {
    hint: 'List the gates with: portolan gate list',
  });
}

/** Throws `USAGE` for what is no gate, and `PORTAL_NOT_FOUND` with the names that there are. */
export function gateAddress(config: Config, text: string): GateAddress {
  const { portal, direction } = gateParts(text);
  return { taskQueue: config.temporal.taskQueue, portal: findPortal(config, portal).name, direction };
}

/**
 * The holder that somebody means, by its id or an end of it. Throws `USAGE` for what is no gate or where several fit,
 * `PORTAL_NOT_FOUND`, and `RUN_NOT_FOUND`.
 * @param name `PORTAL/export` or `PORTAL/import`
 */
export async function seekHolder(
  { config, temporal }: Omit<Releasing, 'asker'>,
  name: string,
  text: string,
): Promise<{ readonly address: GateAddress; readonly holder: GateHolder }> {
  const address = gateAddress(config, name);
  return { address, holder: findHolder(name, await readGate(temporal, address), text) };
}

/** The same where it is known who holds what. */
export function findHolder(name: string, gate: GateView | undefined, text: string): GateHolder {
  const holders = gate?.holders ?? [];
  const [only, ...others] = holders.filter(({ runId }) => runId.endsWith(text));
  if (only !== undefined && others.length === 0) return only;
  const list = holders.map(({ runId }) => `  ${runId}`).join('\n');
  if (only !== undefined) throw new PortolanError('USAGE', `"${text}" fits several runs:\n${list}`, { hint });
  const there = list === '' ? 'Nobody does.' : `Those that do:\n${list}`;
  throw new PortolanError('RUN_NOT_FOUND', `No run "${text}" holds ${name}. ${there}`, { hint });
}

/** From where it is released, and by whom. */
interface Releasing {
  readonly config: Config;
  readonly temporal: TemporalClient;
  readonly asker: Person;
}

/** Takes a run's place away. Throws `RUN_NOT_FOUND` where it was given up meanwhile. */
export async function releaseGate(
  { config, temporal, asker: { who, identity } }: Releasing,
  address: GateAddress,
  { runId, since }: GateHolder,
  reason: string,
): Promise<Delivery> {
  const workflowId = gateId(address);
  const { release: name } = gateMessages;
  const message: GateRelease = { runId, since, who, reason };
  try {
    const control = await openControl(config);
    const signed = control.signAnswer(name, workflowId, message, identity);
    // Temporal keeps the outcome of an update under its id: another attempt is another update.
    const updateId = control.updateId(workflowId, `${name}-${signed.proof.nonce}`);
    return await sendUpdate(temporal, { workflowId, name, updateId, hint }, signed);
  } catch (thrown) {
    if (!isOver(thrown)) throw thrown;
    throw new PortolanError('RUN_NOT_FOUND', `${runId} no longer holds ${gateName(address)}.`, {
      hint,
    });
  }
}
