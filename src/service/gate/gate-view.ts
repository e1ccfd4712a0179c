import { type GateAddress, type GateState, partsOfGateId } from '../../model/run/gate';

/** A gate as it was seen from outside: who is in, and who waits. */
export interface GateView extends GateAddress, GateState {}

/** Where a run stands in a queue; the position from 1, undefined where it was let in meanwhile. */
export interface Queue {
  /** Workflow id of the gate. */
  readonly gate: string;
  readonly position?: number;
}

/** `production/import`: a gate as people write it. */
export const gateName = (gate: string | GateAddress): string => {
  const address = typeof gate === 'string' ? partsOfGateId(gate) : gate;
  return address === undefined ? String(gate) : `${address.portal}/${address.direction}`;
};
