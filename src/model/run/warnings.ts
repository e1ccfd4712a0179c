import { shortened } from '../text/shortened';

/** A record has so many warnings at most: more are read by nobody, and each goes through history at each phase. */
export const WARNINGS_MAX = 200;
/** @format characters */
const WARNING_MAX = 1_000;

const LEFT_OUT = 'further warnings are omitted';

/** Adds a warning, once; those beyond the bound are left out, and that is the last one. */
export function addWarning(warnings: string[], warning: string | undefined): void {
  if (!warning || warnings.length > WARNINGS_MAX) return;
  const words = shortened(warning, WARNING_MAX);
  if (!warnings.includes(words)) warnings.push(warnings.length < WARNINGS_MAX ? words : LEFT_OUT);
}
