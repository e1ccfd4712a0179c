import { maskSecrets } from '../model/mask-secrets';
import type { Notice, Notification, NotifyEvent } from '../model/notification';
import { shortRunId } from '../model/run-id';

const happened: Readonly<Record<NotifyEvent, string>> = {
  parked: 'is parked and waits for a correction',
  waiting: 'waits for an approval',
  partial: 'ended partial',
  failed: 'failed',
  recovered: 'ended well again',
};

/** What receivers are told of a notice. The reason may quote a portal, so that what looks like a secret is masked. */
export function messageOf(notice: Notice): Notification {
  const { runId, event, status, target, count } = notice;
  const route = notice.route.name;
  const reason = notice.reason === undefined ? undefined : maskSecrets(notice.reason);
  const commands = notice.commands ?? commandsFor(notice);
  const sentences = [
    `${route} ${happened[event]} (target ${target})${reason === undefined ? '' : `: ${reason}`}`,
    ...commands.slice(0, 1),
  ];
  return {
    id: `${runId}/${event}/${count}`,
    event,
    runId,
    route,
    status,
    target,
    reason,
    commands,
    text: oneLine(sentences.join('  ')),
  };
}

function commandsFor({ event, runId, planHash }: Notice): string[] {
  const run = shortRunId(runId);
  const show = `portolan run show ${run}`;
  if (event !== 'waiting') return [show];
  const approve = planHash === undefined ? [] : [`portolan run approve ${run} --plan ${planHash}`];
  return [`${show} --plan`, ...approve, `portolan run reject ${run}`];
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' / ').trim();
