import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Right } from '../../config/file/serve-schema';
import { type Caller, type OfRun, requireOfRun } from '../access';

/** What every page knows of who looks at it. */
export interface Visit {
  /** Nobody where somebody is told how to get in. */
  readonly caller?: Caller;
  /** What was asked for, without its query. */
  readonly path: string;
  /** What a form carries, to show that it is ours. @default nothing is asked for */
  readonly csrf?: string;
  /** Whether there is something to sign out of. */
  readonly mayLeave: boolean;
  /** A form that was sent and refused: its fields are shown as they were filled in. */
  readonly typed?: Typed;
  readonly assets: { readonly style: string; readonly script: string; readonly mark: string };
  /** @format milliseconds since the epoch */
  readonly now: number;
}

/** What was sent by a form. */
export interface Typed {
  /** Where it was sent. */
  readonly to: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const nobody: Visit = {
  path: '/',
  mayLeave: false,
  assets: { style: '', script: '', mark: '' },
  now: 0,
};

export const VisitContext = createContext<Visit>(nobody);

export const useVisit = (): Visit => useContext(VisitContext);

/** Whether whoever looks may do what takes this right, with this run or with one that would be begun. */
export function mayDo({ caller }: Visit, right: Right, run?: OfRun): boolean {
  if (caller === undefined || !caller.rights.includes(right)) return false;
  if (run === undefined) return true;
  try {
    requireOfRun(caller)(run);
    return true;
  } catch {
    return false;
  }
}
