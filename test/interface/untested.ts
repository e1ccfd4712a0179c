/** Statements that no test can show, each with the reason. */
export const untested: readonly (readonly [statement: string, reason: string])[] = [
  [
    'The service announces no events that are known.',
    'Nothing is described that could be listened to; Portolan asks for the state of jobs.',
  ],
];
