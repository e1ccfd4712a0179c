import { maskSecrets } from '../../model/text/mask-secrets';
import { oneLine } from '../../model/text/plain-text';
import type { Notice, Notification, NotifyEvent } from '../../model/run/notification';
import { shortRunId } from '../../model/run/run-id';

const happened: Readonly<Record<NotifyEvent, string>> = {
  started: 'has started',
  succeeded: 'succeeded',
  promoted: 'has a release that is verified on its stage',
  'rolled-back': 'was rolled back',
  parked: 'is parked and needs a decision',
  waiting: 'waits for approval',
  partial: 'ended partial',
  failed: 'failed',
  overdue: 'has no good snapshot within its maximum age',
  recovered: 'succeeds again',
};

/** Why a message was not delivered, without URL, argument or response. */
export interface NotNotified {
  readonly problem: string;
  /** Whether a retry may help. */
  readonly again: boolean;
}

/**
 * The message for receivers. The reason may quote a portal, so likely secrets are masked.
 * @param page where its run is seen
 */
export function messageOf(notice: Notice, page?: string): Notification {
  const { runId, event, status, target, release, stage, count } = notice;
  const route = notice.route.name;
  const reason = notice.reason === undefined ? undefined : maskSecrets(notice.reason);
  const commands = notice.commands ?? commandsFor(notice);
  const sentences = [
    `${route} ${wordsOf(notice)}${reason === undefined ? '' : `: ${reason}`}`,
    ...commands.slice(0, 1),
  ];
  return {
    id: `${runId}/${event}/${count}`,
    event,
    runId,
    route,
    status,
    target,
    release,
    stage,
    reason,
    commands,
    page,
    text: [...sentences.map(joined), ...(page === undefined ? [] : [page])].join('  '),
  };
}

/** A test message. @param id no other one has it */
export const testMessage = (id: string): Notification => ({
  id: `test/${id}`,
  event: 'test',
  runId: `test-${id}`,
  route: 'test',
  status: 'succeeded',
  target: 'untouched',
  commands: ['portolan hook list'],
  text: 'This is a test message from Portolan; nothing has happened.  portolan hook list',
});

/** Snapshot events have no target. */
const wordsOf = ({ about, event, target }: Notice): string => {
  if (about !== 'age') return `${happened[event]} (target ${target})`;
  return event === 'recovered' ? 'has a good snapshot again' : happened[event];
};

function commandsFor({ event, runId, planHash }: Notice): string[] {
  const run = shortRunId(runId);
  const show = `portolan run show ${run}`;
  if (event !== 'waiting') return [show];
  const approve = planHash === undefined ? [] : [`portolan run approve ${run} --plan ${planHash}`];
  return [`${show} --plan`, ...approve, `portolan run reject ${run}`];
}

/** A text in one line, without control characters. */
const joined = (text: string): string =>
  text
    .split('\n')
    .map((line) => oneLine(line).trim())
    .filter((line) => line !== '')
    .join(' / ');
