import { bytesText } from '../../model/text/bytes-text';
import { type PhaseName, phaseNames } from '../../model/run/phase';
import type { Run } from './run';

const packageLost: ReadonlySet<string> = new Set(['PACKAGE_MISSING', 'HASH_MISMATCH']);

/**
 * The phase with which a parked run goes on. Everything between the upload and the import rests on a preview, which
 * is read again.
 */
export function goesOnWith({ context, state }: Run, phase: PhaseName, code: string): PhaseName {
  switch (phase) {
    case 'preview':
    case 'approve':
    case 'safeguard':
    case 'import':
      return 'preview';
    case 'wait-import': {
      const mayRun = context.openJobs.some(({ name }) => name === 'import');
      return mayRun || context.importOver ? 'wait-import' : 'preview';
    }
    case 'upload':
      return packageLost.has(code) ? phaseThatFetches(state) : 'upload';
    case 'guard':
    case 'export':
    case 'wait-export':
    case 'download':
    case 'snapshot':
    case 'retention':
    case 'put-back':
    case 'verify':
    case 'prove':
    case 'cleanup':
      return phase;
  }
}

/** A restore looks at its package with the guards. */
const phaseThatFetches = ({ phases }: Run['state']): PhaseName =>
  phases.some(({ name }) => name === 'download') ? 'download' : 'guard';

/** What a resume does not make again. */
export function reusedFrom({ context, state }: Run, from: PhaseName): string[] {
  const reused: string[] = [];
  const isDone = (phase: PhaseName): boolean => phaseNames.indexOf(phase) < phaseNames.indexOf(from);
  if (context.package && isDone('download'))
    reused.push(`package in the store, ${bytesText(context.package.sizeBytes)}`);
  if (context.targetPackage && isDone('upload')) reused.push(`uploaded item ${context.targetPackage}`);
  if (state.safeguard && context.safeguarded) reused.push(`safeguard ${state.safeguard.id}`);
  return reused;
}

/** What a resume does, in the words of the phases. */
export const redoneFrom = (from: PhaseName, phases: readonly PhaseName[]): string[] =>
  phases
    .slice(phases.indexOf(from))
    .map((phase) => (phase === 'preview' ? 'preview; asks again if the plan is another one' : phase));
