import type { PhaseName } from '../../model/run/phase';

/** The current phase, for interceptors, which see activities but not the run. Each workflow has its own. */
let atHand: PhaseName | undefined;

export function setPhaseAtHand(name: PhaseName | undefined): void {
  atHand = name;
}

export const phaseAtHand = (): PhaseName | undefined => atHand;
