import type { PlanPage, RunView } from '../../../contract/runs';
import type { ParkedRecord, RunRecord } from '../../../model/run/run';
import { nextCommands } from '../../../service/run/next-commands';
import { checkSheet, ledgerSheet, verificationSheet } from '../../../service/run/outcome-sheet';
import {
  actionTable,
  changeBlock,
  childTable,
  remarkBlock,
  runFacts,
  runState,
} from '../../../service/run/run-sheet';
import { runTitle } from '../../../service/run/run-words';
import { effectsOf, whyBlock } from '../../../service/run/why-sheet';
import { CommandForm } from '../forms/command-form';
import { Decision } from '../forms/decision';
import { QueuePart } from '../forms/queue-forms';
import { StatusMark } from '../parts/run-marks';
import { BlockPart, SheetSection, Shown } from '../parts/sheet';
import { Notes, Part } from '../parts/table';
import { Words } from '../parts/words';
import { Phases } from './phases';
import { type PlanAsked, PlanPart } from './plan';

interface RunPageProps {
  readonly view: RunView;
  readonly page?: PlanPage;
  /** Why the plan has no rows here. */
  readonly why?: string;
  readonly asked: PlanAsked;
}

/** Everything about one run; the middle column starts with what matters most in its state. */
export const RunPage = ({ view, page, why, asked }: RunPageProps) => {
  const { record } = view;
  const { runId, parked, plan } = record;
  return (
    <>
      <Head view={view} />
      <div class="run">
        <div class="aside">
          <Phases view={view} />
        </div>
        <div class="middle">
          <SheetSection id="why" sheet={[whyBlock(record)]} />
          {parked && <Ways record={record} parked={parked} />}
          {record.status === 'waiting' && plan && <Decision record={record} figures={plan} />}
          {!parked && <Next record={record} />}
          {record.queue && view.portalQueue && <QueuePart queue={record.queue.id} view={view.portalQueue} />}
          <SheetSection id="remarks" sheet={[remarkBlock(record)]} />
          {plan && <PlanPart {...{ record, figures: plan, page, why, asked }} />}
          <SheetSection id="changes" sheet={[changeBlock(record)]} />
          <SheetSection id="checks" sheet={checkSheet(record.checks)} open={1} />
          <SheetSection id="ledger" sheet={ledgerSheet(record.items)} />
          <SheetSection id="verification" sheet={verificationSheet(record.verification)} open={2} />
          <SheetSection id="children" sheet={[childTable(record.children)]} />
          <SheetSection id="log" sheet={[actionTable(record)]}>
            <p>
              <a href={`/runs/${encodeURIComponent(runId)}/events`}>All events</a>
            </p>
          </SheetSection>
        </div>
      </div>
    </>
  );
};

/** The title, state and facts of a run, and whether its target has changed. */
const Head = ({ view }: { readonly view: RunView }) => {
  const { record, notes } = view;
  return (
    <div id="head">
      <h1>
        <Words text={runTitle(record)} most={100} /> <StatusMark status={record.status} />
      </h1>
      <p class="fine">
        <code>{record.runId}</code>
      </p>
      <p class="lead">
        <Shown value={runState(view)} />
      </p>
      <Notes notes={notes} />
      <BlockPart block={{ facts: runFacts(view) }} name="Facts" />
    </div>
  );
};

/** The commands for a parked run, each with its effects. */
const Ways = ({ record, parked }: { readonly record: RunRecord; readonly parked: ParkedRecord }) => (
  <Part id="ways" title="What you can do">
    {parked.commands.map((command) => (
      <CommandForm record={record} command={command} deeds={effectsOf(command, record.kind, parked)} />
    ))}
  </Part>
);

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
