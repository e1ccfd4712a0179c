import type { RunRecord } from '../../model/run/run';

/** What was done by a form, in words: an address may say any of these, and nothing else. */
const deeds: Readonly<Record<string, string>> = {
  approve: 'Approved.',
  reject: 'Rejected: the run ends, and the target stays as it is.',
  resume: 'Resumed.',
  cancel: 'It was asked to end, and cleans up first.',
  later: 'Your answer is kept, and is taken once a worker is up.',
  started: 'Started.',
  again: 'It was started before by the same form.',
  pause: 'Paused: nothing is started until it is let go on. What runs goes on.',
  'let-go-on': 'It starts runs again when they are due.',
  'trigger-later': 'Triggered: it starts once the run that goes on is over.',
  release: 'The place at the gate is free.',
  nothing: 'There is nothing to try again: all of it is there.',
};

/** Decisions about a run: an address may claim one only if the run's record has it. */
const decisions: ReadonlySet<string> = new Set(['approve', 'reject', 'resume', 'cancel']);

/** What an address says was done to a run, unless the run's record lacks it. */
export const deedOf = (
  did: string | undefined,
  { actions }: Pick<RunRecord, 'actions'>,
): string | undefined =>
  did !== undefined && decisions.has(did) && !actions.some(({ what }) => what.split(' ', 1)[0] === did)
    ? undefined
    : did;

/** What came of a form, above the page to which it led. */
export const Done = ({ did }: { readonly did?: string }) => {
  const words = did === undefined || !Object.hasOwn(deeds, did) ? undefined : deeds[did];
  return words === undefined ? null : (
    <p class="banner good" role="status" id="done">
      {words}
    </p>
  );
};

export type Deed = keyof typeof deeds;
