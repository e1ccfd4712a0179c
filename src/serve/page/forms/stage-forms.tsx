import type { StageView } from '../../../contract/pipelines';
import { addressOfPipeline } from '../addresses';
import { Action, Choice, Reason } from '../parts/action';
import { RunLink } from '../parts/run-marks';

interface StageFormsProps {
  readonly pipeline: string;
  readonly stage: StageView;
}

/** The forms of a stage: promote the next release, follow a promotion in progress, or roll back. */
export const StageForms = ({ pipeline, stage }: StageFormsProps) => {
  const { name, after, next, underWay, release } = stage;
  const at = `${addressOfPipeline(pipeline)}/${encodeURIComponent(name)}`;
  const whole = { kind: 'promotion', route: { name: pipeline } } as const;
  return (
    <section id={`stage-${name}`} class="card">
      <h2>{name}</h2>
      {underWay && (
        <p>
          Promotion in progress ({underWay.status}): <RunLink runId={underWay.runId} />
        </p>
      )}
      {after === undefined ? (
        <Action
          {...{ button: 'Create release', right: 'start', with: whole, starts: true }}
          to={`${addressOfPipeline(pipeline)}/releases`}
          command={`portolan release create ${pipeline}`}
        >
          <Reason />
        </Action>
      ) : (
        <>
          {next && (
            <Action
              {...{
                button: `Promote ${next.release}`,
                right: 'start',
                with: whole,
                tone: 'main',
                starts: true,
              }}
              to={`${at}/promote`}
              command={`portolan promote ${pipeline} --to ${name} --release ${next.release}`}
              sent={{ release: next.release }}
            >
              {next.from !== undefined && (
                <Choice name="atSoak" label="Start now and wait for the soak time" />
              )}
              <Choice name="hotfix" label="Hotfix: skip stage order and soak time (reason required)" />
              <Reason />
            </Action>
          )}
          {release !== undefined && (
            <Action
              {...{
                button: 'Roll back',
                right: 'start',
                with: whole,
                tone: 'danger',
                starts: true,
              }}
              to={`${at}/rollback`}
              command={`portolan promote rollback ${pipeline} ${name}`}
            >
              <Reason />
            </Action>
          )}
        </>
      )}
    </section>
  );
};
