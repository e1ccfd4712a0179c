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
  /** What the command does, a line each. */
  readonly deeds?: readonly string[];
}

/** A command that can be typed for a run, with what it does, and with a button where the page can do it. */
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
        <Action {...common} to={`${at}/resume`} button="Go on with it" right="operate" tone="main">
          <Field name="set" label="Corrections" hint="overwrite=true, one a blank" />
          <Reason />
        </Action>
      );
    case 'cancel':
      return (
        <Action {...common} to={`${at}/cancel`} button="End it" right="operate" tone="danger">
          <Choice name="now" label="do not wait for a job that runs on a portal" />
          <Reason />
        </Action>
      );
    case 'retry':
      return (
        <Action {...common} to={`${at}/retry`} button="Try these items again" right="start" starts>
          <Reason />
        </Action>
      );
    case 'search':
      return (
        <Action
          {...{ ...common, right: 'start', button: 'Search the items at fault', starts: true }}
          to={`${at}/retry`}
          sent={{ bisect: 'yes' }}
        >
          <Choice name="yes" label="yes to the plans of all its imports" />
          <Reason />
        </Action>
      );
    case 'restart':
      return (
        <Action
          {...{ ...common, right: 'start', button: 'Begin it again', starts: true }}
          to={`${at}/restart`}
          sent={{ from: / --from (\w+)/.exec(command)?.[1] ?? 'guard' }}
        >
          <Reason />
        </Action>
      );
    case 'rollback':
      return (
        <Action {...common} to={`${at}/rollback`} button="Undo it" right="start" tone="danger" starts>
          <Reason />
        </Action>
      );
    case 'rollback-stage': {
      const [pipeline = '', stage = ''] = (record.stage ?? '').split('/');
      return (
        <Action
          {...{ ...common, right: 'start', tone: 'danger', button: 'Take it back', starts: true }}
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

type Deed = 'resume' | 'cancel' | 'retry' | 'search' | 'restart' | 'rollback' | 'rollback-stage';

/** What the page does for a command; nothing for one that it has no button for. */
function deedOf(command: string, { runId, stage }: RunRecord): Deed | undefined {
  if (stage !== undefined && command.startsWith('portolan promote rollback ')) return 'rollback-stage';
  const [, verb, run, options = ''] = /^portolan run (\w+) (\S+)(.*)$/.exec(command) ?? [];
  // A command may be about another run, such as the one that this one undid.
  if (run === undefined || run !== shortRunId(runId)) return undefined;
  if (verb === 'retry') return options === '' ? 'retry' : options === ' --bisect' ? 'search' : undefined;
  if (verb === 'restart' && / --from \w+$/.test(options)) return 'restart';
  if (options !== '') return undefined;
  return verb === 'resume' || verb === 'cancel' || verb === 'rollback' ? verb : undefined;
}
