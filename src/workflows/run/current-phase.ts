import type { PhaseName } from '../../model/run/phase';

/** The phase that a run is in, for whoever sees its calls go by and not the run. Each workflow has its own. */
let atHand: PhaseName | undefined;

export function setPhaseAtHand(name: PhaseName | undefined): void {
  atHand = name;
}

export const phaseAtHand = (): PhaseName | undefined => atHand;
