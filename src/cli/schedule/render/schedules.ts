import type { ScheduledRun, ScheduleRow } from '../../../contract/schedules';
import { paintStatus } from '../../run/render/ending';
import type { Style } from '../../terminal/style';

export const dueWords = ({ cron, timezone }: Pick<ScheduleRow, 'cron' | 'timezone'>): string =>
  `${cron} ${timezone}`;

export const stateWords = ({ paused, standing }: ScheduleRow): string => {
  const state = standing === 'not applied' ? undefined : paused ? 'paused' : 'on';
  const remark = standing === 'as in portolan.yaml' ? undefined : standing;
  return [state, remark].filter(Boolean).join(', ');
};

export const outcome = ({ status }: ScheduledRun, style: Style): string =>
  status === undefined ? '?' : paintStatus({ status }, status, style);
