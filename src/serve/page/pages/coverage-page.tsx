import type { CoverageView, RuleDetail, RuleRow } from '../../../contract/protect';
import { coverageSheet, ruleName, ruleSheet, ruleTable } from '../../../service/protect/rule-sheets';
import { Action } from '../actions/action';
import { Command } from '../parts/command';
import { SheetPart, SheetSection } from '../parts/sheet';
import { Notes, Part } from '../parts/table';
import { Words } from '../parts/words';

/** The rules, and what of each portal is not protected, as last counted. */
export const CoveragePage = ({
  rules,
  portals,
}: {
  readonly rules: readonly RuleRow[];
  readonly portals: readonly CoverageView[];
}) => (
  <>
    <h1>Coverage</h1>
    <Part id="rules" title="Rules">
      <SheetPart sheet={[ruleTable(rules)]} name="Rules" />
      {rules.map((rule) => (
        <Rule rule={rule} />
      ))}
    </Part>
    {portals.map((view) => (
      <Portal view={view} />
    ))}
  </>
);

/** A rule with every group. */
export const RulePage = ({ rule }: { readonly rule: RuleDetail }) => (
  <>
    <h1>Rule</h1>
    <SheetSection id="rule" sheet={ruleSheet(rule)} />
    <Rule rule={rule} />
  </>
);

const Rule = ({ rule }: { readonly rule: RuleRow }) => {
  const { portal, rule: name, last } = rule;
  const named = ruleName(rule);
  const failed = (last?.failed ?? []).map(({ title, id, reason }) => `${title} (${id}): ${reason}`);
  return (
    <section class="card">
      <h3>
        <Words text={named} most={130} />
      </h3>
      <Notes notes={failed} />
      <Action
        of="protect"
        known={{ rule: named }}
        with={{ kind: 'protect', route: { name: `protect/${portal}/${name}` } }}
      />
    </section>
  );
};

const Portal = ({ view: { portal, last } }: { readonly view: CoverageView }) => (
  <Part id={`portal-${portal}`} title={<Words text={portal} most={80} />}>
    {last ? (
      <SheetPart sheet={coverageSheet(last)} name={`Not protected on ${portal}`} />
    ) : (
      <p>Not counted yet.</p>
    )}
    <p>
      Count again: <Command text={`portolan coverage ${portal}`} />
    </p>
  </Part>
);
