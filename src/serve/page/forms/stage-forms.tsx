import type { StageView } from '../../../contract/pipelines';
import { shellWord } from '../../../model/text/words';
import { Action } from '../actions/action';
import { Command } from '../parts/command';

interface StageFormsProps {
  readonly pipeline: string;
  readonly stage: StageView;
}

/** The forms of a stage: promote the next release, roll back, and block the current release. */
export const StageForms = ({ pipeline, stage }: StageFormsProps) => {
  const { name, after, next, release, blocked } = stage;
  const known = { pipeline, stage: name };
  const whole = { kind: 'promotion', route: { name: pipeline } } as const;
  return (
    <section id={`stage-${name}`} class="card">
      <h2>{name}</h2>
      {after === undefined ? (
        <Action of="createRelease" known={known} with={whole} />
      ) : (
        <>
          {next?.blocked !== undefined && (
            <p class="bad">
              {next.release} is blocked {next.blocked}
            </p>
          )}
          {next && next.blocked === undefined && (
            <>
              <p class="fine">What changes inside:</p>
              <Command text={diffOf(pipeline, name, next.release)} />
              <Action
                of="promote"
                known={{ ...known, release: next.release }}
                with={whole}
                button={`Promote ${next.release}`}
                without={next.from === undefined ? ['atSoak'] : []}
              />
            </>
          )}
          {release !== undefined && <Action of="rollBackStage" known={known} with={whole} />}
        </>
      )}
      {release !== undefined && (
        <Action of={blocked === undefined ? 'block' : 'unblock'} known={{ pipeline, release }} with={whole} />
      )}
    </section>
  );
};

const diffOf = (pipeline: string, stage: string, release: string): string =>
  `portolan promote diff ${shellWord(pipeline)} ${shellWord(stage)} --release ${shellWord(release)} --changes`;
