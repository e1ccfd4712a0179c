/** Search attributes of every run; all are keywords. */
export const searchAttributeNames = {
  kind: 'PortolanKind',
  route: 'PortolanRoute',
  phase: 'PortolanPhase',
  outcome: 'PortolanOutcome',
} as const;

/** Under this key of its memo a run says what it was started with. Plain, since workflow code needs it too. */
export const memoKey = 'portolan';
