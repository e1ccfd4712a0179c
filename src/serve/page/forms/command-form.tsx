import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { oneLine } from '../../../model/text/plain-text';
import { Action } from '../actions/action';
import type { ActionId } from '../actions/table';
import { Command } from '../parts/command';

interface CommandFormProps {
  readonly record: RunRecord;
  readonly command: string;
  /** What the command does, one line each. */
  readonly deeds?: readonly string[];
}

/** A command for a run with its effect, and with a button if the web UI can run it. */
export const CommandForm = ({ record, command, deeds = [] }: CommandFormProps) => {
  const action = actionOf(command, record);
  const [pipeline, stage] = (record.stage ?? '').split('/');
  const from = / --from (\w+)/.exec(command)?.[1];
  return (
    <div class="way">
      {action === undefined ? (
        <Command text={command} />
      ) : (
        <Action
          of={action}
          known={{ run: record.runId, from, pipeline, stage }}
          with={record}
          // The settings of a promotion are those of its release and its pipeline.
          without={record.kind === 'promotion' ? ['set'] : []}
        />
      )}
      {deeds.length > 0 && (
        <ul class="plain fine">
          {deeds.map((deed) => (
            <li>{oneLine(deed.trim())}</li>
          ))}
        </ul>
      )}
    </div>
  );
};

/** The action that a command is; undefined if it has no button. */
function actionOf(command: string, { runId, stage }: RunRecord): ActionId | undefined {
  if (stage !== undefined && command.startsWith('portolan promote rollback ')) return 'rollBackStage';
  const [, verb, run, options = ''] = /^portolan run (\w+) (\S+)(.*)$/.exec(command) ?? [];
  // A command may be about another run, such as the one that this run rolls back.
  if (run === undefined || run !== shortRunId(runId)) return undefined;
  if (verb === 'retry') return options === '' ? 'retry' : options === ' --bisect' ? 'bisect' : undefined;
  if (verb === 'restart' && / --from \w+$/.test(options)) return 'restart';
  if (options !== '') return undefined;
  return verb === 'rollback' ? 'rollBack' : verb === 'resume' || verb === 'cancel' ? verb : undefined;
}
