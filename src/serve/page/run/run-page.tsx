import type { PlanPage, RunView } from '../../../contract/runs';
import { nextCommands } from '../../../service/run/next-commands';
import { Part } from '../parts/table';
import { CommandForm } from '../forms/command-form';
import { Decision } from '../forms/decision';
import { QueuePart } from '../forms/queue-forms';
import { Head } from './head';
import { Checks, Ledger, Verification } from './outcome';
import { Phases } from './phases';
import { type PlanAsked, PlanPart } from './plan';
import { Changes, Children, Log, Remarks } from './record-parts';
import { Parked, Why } from './why';

export interface RunPageProps {
  readonly view: RunView;
  readonly page?: PlanPage;
  /** Why the plan has no rows here. */
  readonly why?: string;
  readonly asked: PlanAsked;
}

/** Everything about one run; the middle column starts with what matters most in its state. */
export const RunPage = ({ view, page, why, asked }: RunPageProps) => {
  const { record } = view;
  const { parked, error, plan, items, verification, checks, children, changes } = record;
  return (
    <>
      <Head view={view} />
      <div class="run">
        <div class="aside">
          <Phases view={view} />
        </div>
        <div class="middle">
          {parked ? <Parked record={record} parked={parked} /> : error && <Why error={error} />}
          {record.status === 'waiting' && plan && <Decision record={record} figures={plan} />}
          {!parked && <Next record={record} />}
          {record.queue && view.portalQueue && <QueuePart queue={record.queue.id} view={view.portalQueue} />}
          <Remarks record={record} />
          {plan && <PlanPart {...{ record, figures: plan, page, why, asked }} />}
          {changes && changes.length > 0 && <Changes changes={changes} />}
          {checks && checks.length > 0 && <Checks checks={checks} />}
          {items && <Ledger items={items} />}
          {verification && <Verification verification={verification} />}
          {children && children.length > 0 && <Children parts={children} />}
          <Log {...record} />
        </div>
      </div>
    </>
  );
};

const Next = ({ record }: Pick<RunView, 'record'>) => {
  const commands = nextCommands(record).filter(
    ([word, command]) => !decided.has(word) && !looks.test(command),
  );
  if (commands.length === 0) return null;
  return (
    <Part id="next" title="Next steps">
      {commands.map(([, command]) => (
        <CommandForm record={record} command={command} />
      ))}
    </Part>
  );
};

/** Has its own form above. */
const decided: ReadonlySet<string> = new Set(['approve', 'reject']);
/** Commands for what this page already shows. */
const looks = /^portolan run (?:show|watch) /;
