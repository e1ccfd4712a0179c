import type { StageView } from '../../../service/promotion/stage-view';
import { addressOfPipeline } from '../addresses';
import { Action, Choice, Reason } from '../parts/action';
import { RunLink } from '../parts/run-marks';

interface StageFormsProps {
  readonly pipeline: string;
  readonly stage: StageView;
}

/** What can be done with a stage: bring the next release there, look at the one that is under way, or go back. */
export const StageForms = ({ pipeline, stage }: StageFormsProps) => {
  const { name, after, next, underWay, release } = stage;
  const at = `${addressOfPipeline(pipeline)}/${encodeURIComponent(name)}`;
  const whole = { kind: 'promotion', route: { name: pipeline } } as const;
  return (
    <section id={`stage-${name}`} class="card">
      <h2>{name}</h2>
      {underWay && (
        <p>
          A promotion is {underWay.status} there: <RunLink runId={underWay.runId} />
        </p>
      )}
      {after === undefined ? (
        <Action
          {...{ button: 'Make a release', right: 'start', with: whole, starts: true }}
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
                <Choice name="atSoak" label="once it has stood long enough before" />
              )}
              <Choice name="hotfix" label="as a hotfix: skip order and soak, with a reason" />
              <Reason />
            </Action>
          )}
          {release !== undefined && (
            <Action
              {...{
                button: `Go back from ${release}`,
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
