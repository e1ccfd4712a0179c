/** Under this key of its memo a run says what it was started with. Plain, since workflow code needs it too. */
export const memoKey = 'portolan';
