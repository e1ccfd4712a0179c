import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Right } from '../../model/rights';
import { type Caller, type RunOwner, May } from '../../service/may';

/** What every page knows about its visitor. */
export interface Visit {
  /** Absent on pages for visitors who are not signed in. */
  readonly caller?: Caller;
  /** Path of the request, without its query. */
  readonly path: string;
  /** The token that forms send. @default none is needed */
  readonly csrf?: string;
  /** Whether the visitor can sign out. */
  readonly mayLeave: boolean;
  /** A form that was refused: its fields are shown as they were filled in. */
  readonly typed?: Typed;
  readonly assets: { readonly style: string; readonly script: string; readonly mark: string };
  /** @format milliseconds since the epoch */
  readonly now: number;
}

/** The fields of a form that was sent. */
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

/** What an action changes: a run, one to start, or what belongs to no route or pipeline. */
export type Subject = RunOwner | 'shared';

/** Whether the visitor has this right for what an action changes. @param subject default: not checked */
export function mayDo({ caller }: Visit, right: Right, subject?: Subject): boolean {
  if (caller === undefined || !caller.rights.includes(right)) return false;
  if (subject === undefined) return true;
  const may = new May(caller);
  try {
    if (subject === 'shared') may.changeShared();
    else may.changeRun(subject);
    return true;
  } catch {
    return false;
  }
}
