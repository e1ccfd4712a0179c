import { PortolanError } from '../../model/errors/errors';
import {
  type GateHolder,
  gateId,
  gateMessages,
  type GateAddress,
  type GateRelease,
} from '../../model/run/gate';
import { gateName, type GateView } from './gate-view';
import { type Control } from '../../domain/control/control';
import { type Delivery, isOver, sendUpdate } from '../../temporal/send-update';
import type { TemporalClient } from '../../temporal/session';

const hint = 'Look who holds what with: portolan gate list';

/** The holder that somebody means, by its id or an end of it. Throws `RUN_NOT_FOUND`, and `USAGE` where several fit. */
export function findHolder(name: string, gate: GateView | undefined, text: string): GateHolder {
  const holders = gate?.holders ?? [];
  const [only, ...others] = holders.filter(({ runId }) => runId.endsWith(text));
  if (only !== undefined && others.length === 0) return only;
  const list = holders.map(({ runId }) => `  ${runId}`).join('\n');
  if (only !== undefined) throw new PortolanError('USAGE', `"${text}" fits several runs:\n${list}`, { hint });
  const there = list === '' ? 'Nobody does.' : `Those that do:\n${list}`;
  throw new PortolanError('RUN_NOT_FOUND', `No run "${text}" holds ${name}. ${there}`, { hint });
}

/** Takes a run's place away. Throws `RUN_NOT_FOUND` where it was given up meanwhile. */
export async function releaseGate(
  { temporal, control }: { readonly temporal: TemporalClient; readonly control: Control },
  address: GateAddress,
  { runId, since }: GateHolder,
  claimed: Pick<GateRelease, 'who' | 'reason'>,
): Promise<Delivery> {
  const workflowId = gateId(address);
  const { release: name } = gateMessages;
  const message: GateRelease = { runId, since, ...claimed };
  try {
    const updateId = control.updateId(workflowId, `release-${runId}-${since}`);
    const signed = control.signAnswer(name, workflowId, message);
    return await sendUpdate(temporal, { workflowId, name, updateId, hint }, signed);
  } catch (thrown) {
    if (!isOver(thrown)) throw thrown;
    throw new PortolanError('RUN_NOT_FOUND', `${runId} no longer holds ${gateName(address)}.`, {
      hint,
    });
  }
}
