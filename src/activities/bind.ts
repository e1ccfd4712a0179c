import type { ActivityDeps } from './deps';

/** An activity as it is written: what it needs, then what it is asked. */
type Unbound = (deps: ActivityDeps, ...asked: never[]) => unknown;

type Bound<Activities> = {
  [Name in keyof Activities]: Activities[Name] extends (
    deps: ActivityDeps,
    ...asked: infer Asked
  ) => infer Answer
    ? (...asked: Asked) => Answer
    : never;
};

/** Gives the activities what they need. Temporal calls them without it. */
export const bind = <Activities extends Record<string, Unbound>>(
  deps: ActivityDeps,
  activities: Activities,
): Bound<Activities> =>
  Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, activity.bind(undefined, deps)]),
  ) as Bound<Activities>;
