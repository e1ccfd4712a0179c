import { oddDays } from '../../model/schedule/cron-times';
import type { RunRoute } from '../../model/transfer/route';
import type { RunInput, Unnamed } from '../../model/run/run-input';
import type { DesiredSchedule } from './desired-schedules';

/** What somebody should know of a schedule who has just written it, each in one line. */
export function scheduleWarnings({ name, spec, cron, options }: DesiredSchedule, now: number): string[] {
  if (!spec) return [];
  const warnings = oddDays(cron, spec.timezone, now).map(({ date, time, starts }) =>
    starts === 'never'
      ? `${name}: on ${date} the clocks of ${spec.timezone} leave ${time} out, and it does not start`
      : `${name}: on ${date} the clocks of ${spec.timezone} show ${time} twice, and it starts twice`,
  );
  if (cron.daysOfMonth.length < 31 && cron.daysOfWeek.length < 7) {
    warnings.push(
      `${name}: "${spec.cron}" is due on days that fit both the day of the month and the day of the week`,
    );
  }
  const { route } = options.action.args?.[0] as Unnamed<RunInput>;
  if (spec.kind === 'sync') warnings.push(...approvalWarning(name, route));
  return warnings;
}

function approvalWarning(name: string, { name: route, options }: RunRoute): string[] {
  if (options.approval === 'none') return [];
  return [
    `${name}: routes.${route} has approval: ${options.approval}, so that each run waits for a person once its plan is known, until the next one is due`,
  ];
}
