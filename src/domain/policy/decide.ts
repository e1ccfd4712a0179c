import { z } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { GuardResult } from '../../model/run/guard';
import type { IntendedWrite, Latitude, PortalPolicy, Ruling, Writer } from '../../model/run/policy';
import { notExcluded } from '../../model/transfer/exclusion';
import { oneLine } from '../../model/text/plain-text';
import { isSameUser } from '../../model/text/same-user';
import type { Approval } from '../../model/transfer/route';
import { closedAt } from './windows';

/** A frozen portal or stage. */
export const freeze = z.object({
  /** By its name in portolan.yaml, or `PIPELINE/STAGE`. */
  portal: z.string(),
  who: z.string().describe('`user@host`'),
  /** Milliseconds since 1970, as far as a date goes. */
  at: z.number().min(0).max(8.64e15),
  reason: z.string(),
});
export type Freeze = z.infer<typeof freeze>;

/** A route of the worker's configuration, as far as it restricts runs. */
export interface BindingRoute {
  readonly name: string;
  readonly source: { readonly portal: string; readonly group: string };
  readonly target: { readonly portal: string; readonly group: string };
  readonly approval: Approval;
  readonly options: Latitude;
  /** Its drill target. */
  readonly drill?: { readonly portal: string; readonly group: string };
}

/** A stage's group, which only promotions may write to. */
export interface HeldGroup {
  /** `PIPELINE/STAGE`. */
  readonly stage: string;
  readonly portal: string;
  readonly group: string;
  /** What promotions change on the portal itself. */
  readonly settings: boolean;
  readonly categories: boolean;
}

/** What the worker knows when it decides. */
export interface Rules {
  /** @default none */
  readonly stages?: readonly HeldGroup[];
  /** Policies of all names of the target in the worker's configuration; all apply. */
  readonly policies: readonly PortalPolicy[];
  readonly routes: readonly BindingRoute[];
  readonly freeze?: Freeze;
  /** @format milliseconds since the epoch */
  readonly now: number;
  /** Whether two names are one portal. */
  isSame(one: string, other: string): boolean;
}

export type Decision =
  | {
      readonly verdict: 'allowed';
      readonly ruling: Ruling;
      /** What requires the approval, for people. */
      readonly because: string;
    }
  | {
      /** Allowed, but the import must wait for a window. */
      readonly verdict: 'waits';
      readonly ruling: Ruling;
      readonly because: string;
      /** @format milliseconds since the epoch */
      readonly until: number;
      /** Why not now, in words. */
      readonly why: string;
    }
  | {
      readonly verdict: 'refused';
      readonly code: Extract<ErrorCode, 'PORTAL_FROZEN' | 'POLICY_REFUSED' | 'WINDOW_CLOSED'>;
      readonly saw: string;
      readonly needs: string;
      readonly todo: string;
    };

const strictness = { none: 0, ask: 1, required: 2 } as const satisfies Record<Approval, number>;

/** Decides whether a write is allowed, and what it needs. Nothing else decides this. */
export function decide(asked: IntendedWrite, rules: Rules): Decision {
  const { portal } = asked.target;
  const { policies, freeze } = rules;
  if (freeze) {
    const isStage = freeze.portal.includes('/');
    const frozenName = isStage ? `stage ${freeze.portal}` : portal;
    return {
      verdict: 'refused',
      code: 'PORTAL_FROZEN',
      saw: oneLine(
        `${frozenName} has been frozen by ${freeze.who} since ${new Date(freeze.at).toISOString()}: ${freeze.reason}`,
      ),
      needs: `a ${isStage ? 'stage' : 'portal'} that is not frozen`,
      todo: `Once writes are safe again: portolan unfreeze ${isStage ? freeze.portal : portal}`,
    };
  }
  if (policies.some(({ writes }) => writes === 'never')) {
    return refused(`the policy of ${portal} forbids all writes (writes: never)`, {
      needs: 'another portal',
      todo: `Choose another target, or change portals.${portal}.policy on the worker.`,
    });
  }
  const stage = heldBy(asked, rules);
  if (stage !== undefined && stage !== asked.stage) {
    return refused(`${groupWords(asked)} belongs to stage ${stage}; only promotions may write there`, {
      needs: 'a promotion to this stage',
      todo: promotionInto(stage),
    });
  }
  if (policies.some(({ adhoc }) => !adhoc) && stage === undefined && !isNamed(asked, rules)) {
    return refused(
      `${portal} accepts only runs of a route (policy: adhoc: false), and no route on the worker matches this run`,
      {
        needs: 'a route between these groups in portolan.yaml on the worker',
        todo: "Add the route there, and start the run by the route's name.",
      },
    );
  }
  const laxer = policies.some(({ adhoc }) => !adhoc) ? laxerThanNamed(asked, rules) : [];
  if (laxer.length > 0) {
    return refused(
      `the run would do more than route ${asked.route} on the worker allows (policy: adhoc: false)`,
      {
        needs: laxer.join(', '),
        todo: 'Omit these options, or change the route there.',
      },
    );
  }
  const { approval, because } = strictestOf(asked, rules);
  const approvers = approversOf(policies);
  // The starter's own approval does not count then.
  const needsOther =
    approval === 'required' || (approval === 'ask' && (approvers.twoPeople || approvers.approvers));
  const inVain = waitsForNobody[asked.writer];
  if (needsOther && !asked.isApproved && inVain !== undefined) {
    return refused(`${because} requires another person's approval, but ${inVain}`, {
      needs: 'a write that can wait for approval, or a portal that needs none',
      todo: `Change portals.${portal}.policy on the worker, repeat this, and change it back.`,
    });
  }
  const hasWindows = policies.some(({ windows = [] }) => windows.length > 0) || undefined;
  const ruling = { approval, ...approvers, hasWindows };
  return inItsWindow(asked, rules, { verdict: 'allowed', ruling, because });
}

/** The stage that owns the target of the write. @returns `PIPELINE/STAGE` */
export function heldBy(
  { writer, target }: IntendedWrite,
  { stages = [], isSame }: Pick<Rules, 'stages' | 'isSame'>,
): string | undefined {
  const isHeld = ({ group, settings, categories }: HeldGroup): boolean => {
    if (writer === 'settings') return settings;
    if (writer === 'categories') return categories;
    return group === target.groupId;
  };
  return stages.find((each) => isHeld(each) && isSame(each.portal, target.portal))?.stage;
}

/** The command that promotes to a stage. @param stage `PIPELINE/STAGE` */
export function promotionInto(stage: string): string {
  const [pipeline = '', name = ''] = stage.split('/');
  return `portolan promote ${pipeline} --to ${name}`;
}

/** Why an item in a stage's group is kept, as text after its title. */
export const heldWords = (stage: string): string => `belongs to stage ${stage}; only promotions change it`;

const groupWords = ({ writer, target: { portal, groupId } }: IntendedWrite): string => {
  if (writer === 'settings') return `settings of ${portal}`;
  return writer === 'categories' ? `the category schema of ${portal}` : `group ${groupId ?? ''} of ${portal}`;
};

/** Applies windows to a write that is otherwise allowed. */
function inItsWindow(
  { writer, hasBegun = false, target: { portal } }: IntendedWrite,
  { policies, now }: Rules,
  allowed: Extract<Decision, { verdict: 'allowed' }>,
): Decision {
  const binds = windowsBind[writer];
  const closed =
    binds === 'not' || hasBegun
      ? undefined
      : closedAt(
          policies.map(({ windows = [] }) => windows),
          now,
        );
  if (!closed) return allowed;
  const { until } = closed;
  const why = oneLine(`the policy of ${portal} ${closed.why}`);
  if (until === undefined) {
    return refused(`${why}; no window opens within a year`, {
      needs: 'a window that opens',
      todo: `Change portals.${portal}.policy.windows on the worker.`,
    });
  }
  if (binds === 'waits') return { ...allowed, verdict: 'waits', until, why };
  const opens = new Date(until).toISOString();
  return {
    verdict: 'refused',
    code: 'WINDOW_CLOSED',
    saw: `${why}; a window opens at ${opens}`,
    needs: 'an open window',
    todo: `Start it again at ${opens} or later.`,
  };
}

/** Whether this kind of writer can wait for a window. Writers of no content need none. */
const windowsBind: Readonly<Record<Writer, 'waits' | 'refuses' | 'not'>> = {
  sync: 'waits',
  restore: 'waits',
  drill: 'not',
  'drill with import': 'waits',
  leftovers: 'not',
  settings: 'refuses',
  categories: 'refuses',
  'task-run': 'not',
  banner: 'not',
};

/** The strictest approval rule of starter, portal and routes, and its source. */
function strictestOf(
  { writer, approval = 'none', route: name, target }: IntendedWrite,
  { policies, routes, isSame }: Rules,
): { readonly approval: Approval; readonly because: string } {
  const isInto = (route: BindingRoute): boolean =>
    route.target.group === target.groupId && isSame(route.target.portal, target.portal);
  const binding = routes.filter(
    (route) => (writer === 'sync' && route.name === name) || (route.approval === 'required' && isInto(route)),
  );
  return [
    { approval, because: 'the starter' },
    ...policies.map(({ writes }) => ({
      approval: approvalOf[writes],
      because: `the policy of ${target.portal} (writes: ${writes})`,
    })),
    ...binding.map((route) => ({
      approval: route.approval,
      because: `route ${route.name} (approval: ${route.approval})`,
    })),
  ].reduce((one, other) => (strictness[other.approval] > strictness[one.approval] ? other : one));
}

const approvalOf: Readonly<Record<PortalPolicy['writes'], Approval>> = {
  free: 'none',
  ask: 'ask',
  required: 'required',
  never: 'required',
};

/** Why it cannot be approved. Other writers show a plan and wait, or change no content. */
const waitsForNobody: Readonly<Partial<Record<Writer, string>>> = {
  'drill with import': 'a drill cannot wait for approval',
  settings: 'a change of settings cannot wait for approval',
  categories: 'a change of the category schema cannot wait for approval',
};

const refused = (saw: string, rest: { readonly needs: string; readonly todo: string }): Decision => ({
  verdict: 'refused',
  code: 'POLICY_REFUSED',
  saw,
  ...rest,
});

/** Only people who are approvers in all policies. */
export function approversOf(policies: readonly PortalPolicy[]): Omit<Ruling, 'approval' | 'hasWindows'> {
  const twoPeople = policies.some((policy) => policy.twoPeople);
  const named = policies.flatMap(({ approvers }) => (approvers ? [approvers] : []));
  const [first, ...others] = named.map(({ users }) => users);
  if (!first) return { twoPeople };
  return {
    twoPeople,
    approvers: first.filter((user) => others.every((list) => list.some((each) => isSameUser(each, user)))),
    ...(named.some(({ group }) => group !== undefined) && { asMembers: true }),
  };
}

/** Whether a route of the worker has these ends. A restore has no source, and a portal change no group. */
function isNamed({ writer, route, source, target }: IntendedWrite, { routes, isSame }: Rules): boolean {
  if (target.groupId === undefined) return true;
  const isTarget = (end: BindingRoute['target'] | undefined): boolean =>
    end !== undefined && end.group === target.groupId && isSame(end.portal, target.portal);
  switch (writer) {
    case 'sync':
      return routes.some(
        (each) =>
          each.name === route &&
          isTarget(each.target) &&
          source?.groupId === each.source.group &&
          isSame(source.portal, each.source.portal),
      );
    case 'drill':
    case 'drill with import':
      return routes.some(({ drill }) => isTarget(drill));
    default:
      return routes.some((each) => isTarget(each.target));
  }
}

/** Options of a sync that go beyond the worker's route, each with the route's value. */
function laxerThanNamed({ writer, route: name, options }: IntendedWrite, { routes }: Rules): string[] {
  const named = writer === 'sync' && routes.find((each) => each.name === name);
  if (!named || !options) return [];
  const { overwrite, data, take = [], allowShrink, exclude } = options;
  const ofRoute = named.options;
  const taken = take.filter((itemId) => !ofRoute.take?.includes(itemId));
  return [
    ...(overwrite && !ofRoute.overwrite ? ['overwrite: false (not true)'] : []),
    ...(data === 'replace' && ofRoute.data !== 'replace' ? ['data: keep (not replace)'] : []),
    ...(taken.length > 0 ? [`no --take of ${taken.join(', ')}`] : []),
    ...(allowShrink ? ['no --allow-shrink'] : []),
    ...notExcluded(exclude, ofRoute.exclude).map((each) => `exclude: ${each} (not included)`),
  ];
}

/** The decision as a preflight check result; undefined if nothing beyond the starter's request is needed. */
export function allowedByPolicy(decision: Decision): GuardResult | undefined {
  const name = 'policy';
  if (decision.verdict === 'refused') {
    const { code, saw, needs, todo } = decision;
    return { name, verdict: 'refuse', saw, needs, todo, code };
  }
  const { ruling, because } = decision;
  const says = [
    ...(ruling.approval === 'none' ? [] : [`approval: ${ruling.approval}, set by ${because}`]),
    ...(decision.verdict === 'waits'
      ? [`the import waits until ${new Date(decision.until).toISOString()}: ${decision.why}`]
      : []),
  ];
  const isNews = decision.verdict === 'waits' || undefined;
  return says.length === 0 ? undefined : { name, verdict: 'pass', saw: says.join('; '), isNews };
}
