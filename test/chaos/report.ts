import Table from 'cli-table3';
import { phasesOfASync } from './moments';
import type { Trial } from './trial';

/** What was killed, where it found the runs, and what became of them. */
export function report(trials: readonly Trial[]): string {
  const table = new Table({
    head: ['killed', 'while in', 'kills', 'by itself', 'parked, resumed', 'broken', 'longest recovery'],
    colAligns: ['left', 'left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const killed of new Set(trials.map(({ kill }) => kill.of))) {
    const of = trials.filter(({ kill }) => kill.of === killed);
    for (const phase of [...phasesOfASync, undefined]) {
      const met = of.filter(({ struckIn }) => struckIn[0] === phase);
      if (met.length > 0) table.push([killed, phase ?? 'no phase', ...figures(met)]);
    }
  }
  table.push(['all', '', ...figures(trials)]);
  return table.toString();
}

function figures(trials: readonly Trial[]): string[] {
  const broken = trials.filter(({ problems }) => problems.length > 0);
  const whole = trials.filter(({ problems }) => problems.length === 0);
  const resumed = whole.filter(({ parked }) => parked.length > 0).length;
  const longest = Math.max(...trials.flatMap(({ recoveries }) => recoveries));
  return [
    String(trials.flatMap(({ struckIn }) => struckIn).length),
    String(whole.length - resumed),
    String(resumed),
    String(broken.length),
    Number.isFinite(longest) ? `${(longest / 1000).toFixed(1)} s` : '',
  ];
}
