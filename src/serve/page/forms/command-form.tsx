import { addressOfRun } from '../../../config/page-address';
import type { RunRecord } from '../../../model/run/run';
import { shortRunId } from '../../../model/run/run-id';
import { oneLine } from '../../../model/text/plain-text';
import { Action, Choice, Field, Reason } from '../parts/action';
import { Command } from '../parts/command';
import { addressOfPipeline } from '../addresses';

interface CommandFormProps {
  readonly record: RunRecord;
  readonly command: string;
  /** What the command does, one line each. */
  readonly deeds?: readonly string[];
}

/** A command for a run with its effect, and with a button if the web UI can run it. */
export const CommandForm = ({ record, command, deeds = [] }: CommandFormProps) => (
  <div class="way">
    <Form record={record} command={command} />
    {deeds.length > 0 && (
      <ul class="plain fine">
        {deeds.map((deed) => (
          <li>{oneLine(deed.trim())}</li>
        ))}
      </ul>
    )}
  </div>
);

const Form = ({ record, command }: CommandFormProps) => {
  const at = addressOfRun(record.runId);
  const common = { command, with: record };
  switch (deedOf(command, record)) {
    case 'resume':
      return (
        <Action {...common} to={`${at}/resume`} button="Resume" right="operate" tone="main">
          {record.kind !== 'promotion' && (
            <Field name="set" label="Corrections" hint="KEY=VALUE, separated by spaces" />
          )}
          <Reason />
        </Action>
      );
    case 'cancel':
      return (
        <Action {...common} to={`${at}/cancel`} button="Cancel run" right="operate" tone="danger">
          <Choice name="now" label="Do not wait for running portal jobs" />
          <Reason />
        </Action>
      );
    case 'retry':
      return (
        <Action {...common} to={`${at}/retry`} button="Retry items" right="start" starts>
          <Reason />
        </Action>
      );
    case 'bisect':
      return (
        <Action
          {...{ ...common, right: 'start', button: 'Bisect: find failing items', starts: true }}
          to={`${at}/retry`}
          sent={{ bisect: 'yes' }}
        >
          <Choice name="yes" label="Approve the plans of all its imports" />
          <Reason />
        </Action>
      );
    case 'restart':
      return (
        <Action
          {...{ ...common, right: 'start', button: 'Restart', starts: true }}
          to={`${at}/restart`}
          sent={{ from: / --from (\w+)/.exec(command)?.[1] ?? 'guard' }}
        >
          <Reason />
        </Action>
      );
    case 'rollback':
      return (
        <Action {...common} to={`${at}/rollback`} button="Roll back" right="start" tone="danger" starts>
          <Reason />
        </Action>
      );
    case 'rollback-stage': {
      const [pipeline = '', stage = ''] = (record.stage ?? '').split('/');
      return (
        <Action
          {...{ ...common, right: 'start', tone: 'danger', button: 'Roll back stage', starts: true }}
          to={`${addressOfPipeline(pipeline)}/${encodeURIComponent(stage)}/rollback`}
        >
          <Reason />
        </Action>
      );
    }
    case undefined:
      return <Command text={command} />;
  }
};

type Deed = 'resume' | 'cancel' | 'retry' | 'bisect' | 'restart' | 'rollback' | 'rollback-stage';

/** What the button for a command does; undefined if it has no button. */
function deedOf(command: string, { runId, stage }: RunRecord): Deed | undefined {
  if (stage !== undefined && command.startsWith('portolan promote rollback ')) return 'rollback-stage';
  const [, verb, run, options = ''] = /^portolan run (\w+) (\S+)(.*)$/.exec(command) ?? [];
  // A command may be about another run, such as the one that this run rolls back.
  if (run === undefined || run !== shortRunId(runId)) return undefined;
  if (verb === 'retry') return options === '' ? 'retry' : options === ' --bisect' ? 'bisect' : undefined;
  if (verb === 'restart' && / --from \w+$/.test(options)) return 'restart';
  if (options !== '') return undefined;
  return verb === 'resume' || verb === 'cancel' || verb === 'rollback' ? verb : undefined;
}
