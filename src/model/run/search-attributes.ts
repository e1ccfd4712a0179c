/** Search attributes of every run; all are keywords. */
export const searchAttributeNames = {
  kind: 'PortolanKind',
  route: 'PortolanRoute',
  phase: 'PortolanPhase',
  outcome: 'PortolanOutcome',
} as const;
