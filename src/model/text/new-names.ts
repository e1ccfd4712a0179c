/** Names that people may know from before, by the name of today: too far apart to be found as a slip of the hand. */
export const newNames: ReadonlyMap<string, string> = new Map([
  ['answerWithin', 'decisionTimeout'],
  ['atOnce', 'concurrency'],
  ['calls', 'activities'],
  ['gate', 'queue'],
]);
