import { z } from 'zod';
import type { ErrorCode } from '../../model/errors/error-codes';
import type { GuardResult } from '../../model/run/run';
import type { IntendedWrite, Latitude, PortalPolicy, Ruling, Writer } from '../../model/run/policy';
import { notExcluded, type Approval } from '../../model/transfer/route';
import { oneLine } from '../../model/text/plain-text';
import { isSameUser } from '../../model/identity';
import { closedAt } from './windows';

/** A frozen portal or stage. */
export const freeze = z.object({
  /** By its name in portolan.yaml, or `PIPELINE/STAGE`. */
  portal: z.string(),
  /** `user@host` */
  who: z.string(),
  /** Milliseconds since 1970, as far as a date goes. */
  at: z.number().min(0).max(8.64e15),
  reason: z.string(),
});
export type Freeze = z.infer<typeof freeze>;

interface RouteEnd {
  readonly portal: string;
  readonly group: string;
}

/** A route of the worker's configuration, as far as it restricts runs. */
export interface BindingRoute {
  readonly name: string;
  readonly source: RouteEnd;
  readonly target: RouteEnd;
  readonly options: Latitude & { readonly approval: Approval };
  readonly backup: { readonly drill?: RouteEnd };
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
interface Rules {
  readonly stages: readonly HeldGroup[];
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

/** What binds a kind of writer. Writers of no content wait for no window and have no plan to approve. */
interface WriterRules {
  /** What it does outside of windows. @default waits */
  readonly window?: 'refuses' | 'none';
  /** What it does if another person has to approve it. @default nothing */
  readonly approval?: 'waits' | 'refuses';
  /** What a route of the worker has to match, if the portal accepts no ad hoc writes. @default its target */
  readonly needs?: 'route' | 'drill';
  /** What of the portal itself it changes. @default a group */
  readonly changes?: 'settings' | 'categories';
}

const writers: Readonly<Record<Writer, WriterRules>> = {
  sync: { approval: 'waits', needs: 'route' },
  restore: { approval: 'waits' },
  drill: { window: 'none', needs: 'drill' },
  'drill with import': { approval: 'refuses', needs: 'drill' },
  leftovers: { window: 'none' },
  settings: { window: 'refuses', approval: 'refuses', changes: 'settings' },
  categories: { window: 'refuses', approval: 'refuses', changes: 'categories' },
  'task-run': { window: 'none' },
  banner: { window: 'none' },
};

/** Whether a run shows its plan and waits for an approval of it. Others start with the approval that they need, or not at all. */
export const showsPlan = (writer: Writer): boolean => writers[writer].approval === 'waits';

const changed = { settings: 'settings', categories: 'the category schema' } as const;

/** Decides whether a write is allowed, and what it needs: the first refusal counts. Nothing else decides this. */
export function decide(asked: IntendedWrite, rules: Rules): Decision {
  const { policies, freeze } = rules;
  const { portal, groupId } = asked.target;
  const { window, approval: another, changes } = writers[asked.writer];
  const holder = heldBy(asked, rules);
  const acceptsAdhoc = policies.every(({ adhoc }) => adhoc);
  const laxer = acceptsAdhoc ? [] : laxerThanNamed(asked, rules);
  const { approval, because } = strictestOf(asked, rules);
  const people = approversOf(policies);
  // The starter's own approval does not count then.
  const needsOther =
    approval === 'required' || (approval === 'ask' && (people.twoPeople || people.approvers));
  const windows = policies.map((policy) => policy.windows ?? []);
  const closed = window === 'none' || asked.hasBegun ? undefined : closedAt(windows, rules.now);
  const why = oneLine(`the policy of ${portal} ${closed?.why}`);
  const opens = closed?.until === undefined ? undefined : new Date(closed.until).toISOString();
  const refusals: readonly (
    (Partial<Refused> & Pick<Refused, 'saw' | 'needs' | 'todo'>) | false | undefined
  )[] = [
    freeze && frozen(freeze, portal),
    policies.some(({ writes }) => writes === 'never') && {
      saw: `the policy of ${portal} forbids all writes (writes: never)`,
      needs: 'another portal',
      todo: `Choose another target, or change portals.${portal}.policy on the worker.`,
    },
    holder !== undefined &&
      holder !== asked.stage && {
        saw: `${changes ? changed[changes] : `group ${groupId}`} of ${portal} ${heldWords(holder)}`,
        needs: 'a promotion to this stage',
        todo: promotionInto(holder),
      },
    !acceptsAdhoc &&
      holder === undefined &&
      !hasRoute(asked, rules) && {
        saw: `${portal} accepts only runs of a route (policy: adhoc: false), and no route on the worker matches this run`,
        needs: 'a route between these groups in portolan.yaml on the worker',
        todo: "Add the route there, and start the run by the route's name.",
      },
    laxer.length > 0 && {
      saw: `the run would do more than route ${asked.route} on the worker allows (policy: adhoc: false)`,
      needs: laxer.join(', '),
      todo: 'Omit these options, or change the route there.',
    },
    needsOther &&
      !asked.isApproved &&
      another === 'refuses' && {
        saw: `${because} requires another person's approval, but ${changes ? `a change of ${changed[changes]}` : 'a drill'} cannot wait for approval`,
        needs: 'a write that can wait for approval, or a portal that needs none',
        todo: `Change portals.${portal}.policy on the worker, repeat this, and change it back.`,
      },
    closed &&
      opens === undefined && {
        saw: `${why}; no window opens within a year`,
        needs: 'a window that opens',
        todo: `Change portals.${portal}.policy.windows on the worker.`,
      },
    opens !== undefined &&
      window === 'refuses' && {
        code: 'WINDOW_CLOSED',
        saw: `${why}; a window opens at ${opens}`,
        needs: 'an open window',
        todo: `Start it again at ${opens} or later.`,
      },
  ];
  const refusal = refusals.find((each) => each);
  if (refusal) return { verdict: 'refused', code: 'POLICY_REFUSED', ...refusal };
  const hasWindows = windows.some(({ length }) => length > 0) || undefined;
  const ruling = { approval, ...people, hasWindows };
  return closed?.until === undefined
    ? { verdict: 'allowed', ruling, because }
    : { verdict: 'waits', ruling, because, until: closed.until, why };
}

type Refused = Extract<Decision, { verdict: 'refused' }>;

function frozen({ portal: name, who, at, reason }: Freeze, portal: string): Omit<Refused, 'verdict'> {
  const [kind, what] = name.includes('/') ? ['stage', `stage ${name}`] : ['portal', portal];
  return {
    code: 'PORTAL_FROZEN',
    saw: oneLine(`${what} has been frozen by ${who} since ${new Date(at).toISOString()}: ${reason}`),
    needs: `a ${kind} that is not frozen`,
    todo: `Once writes are safe again: portolan unfreeze ${kind === 'stage' ? name : portal}`,
  };
}

/** The stage that owns the target of the write. @returns `PIPELINE/STAGE` */
export function heldBy(
  { writer, target }: IntendedWrite,
  { stages, isSame }: Pick<Rules, 'stages' | 'isSame'>,
): string | undefined {
  const { changes } = writers[writer];
  return stages.find(
    (each) => (changes ? each[changes] : each.group === target.groupId) && isSame(each.portal, target.portal),
  )?.stage;
}

/** The command that promotes to a stage. @param stage `PIPELINE/STAGE` */
export const promotionInto = (stage: string): string => `portolan promote ${stage.replace('/', ' --to ')}`;

/** Why others may not change what belongs to a stage, as text after its name. */
export const heldWords = (stage: string): string => `belongs to stage ${stage}; only promotions change it`;

/** The strictest approval rule of starter, portal and routes, and its source. */
function strictestOf(
  { writer, approval, route: named, target }: IntendedWrite,
  { policies, routes, isSame }: Rules,
): { readonly approval: Approval; readonly because: string } {
  const isInto = (route: BindingRoute): boolean =>
    route.target.group === target.groupId && isSame(route.target.portal, target.portal);
  const binding = routes.filter(
    (route) =>
      (writer === 'sync' && route.name === named) || (route.options.approval === 'required' && isInto(route)),
  );
  const rules = [
    { approval, because: 'the starter' },
    ...policies.map(({ writes }) => ({
      approval: writes,
      because: `the policy of ${target.portal} (writes: ${writes})`,
    })),
    ...binding.map(({ name, options: { approval } }) => ({
      approval,
      because: `route ${name} (approval: ${approval})`,
    })),
  ];
  for (const strictest of ['required', 'ask'] as const) {
    const rule = rules.find((each) => each.approval === strictest);
    if (rule) return { approval: strictest, because: rule.because };
  }
  return { approval: 'none', because: 'the starter' };
}

/** Only people who are approvers in all policies. */
export function approversOf(policies: readonly PortalPolicy[]): Omit<Ruling, 'approval' | 'hasWindows'> {
  const twoPeople = policies.some((policy) => policy.twoPeople);
  const named = policies.flatMap(({ approvers }) => approvers ?? []);
  const [first, ...others] = named.map(({ users }) => users);
  if (!first) return { twoPeople };
  return {
    twoPeople,
    approvers: first.filter((user) => others.every((list) => list.some((each) => isSameUser(each, user)))),
    ...(named.some(({ group }) => group !== undefined) && { asMembers: true }),
  };
}

/** Whether a route of the worker has these ends. A restore has no source, and a portal change no group. */
function hasRoute({ writer, route, source, target }: IntendedWrite, { routes, isSame }: Rules): boolean {
  const { needs } = writers[writer];
  const isAt = (end?: RouteEnd, at?: IntendedWrite['target']): boolean =>
    end !== undefined && at !== undefined && end.group === at.groupId && isSame(end.portal, at.portal);
  return (
    target.groupId === undefined ||
    routes.some(
      (each) =>
        isAt(needs === 'drill' ? each.backup.drill : each.target, target) &&
        (needs !== 'route' || (each.name === route && isAt(each.source, source))),
    )
  );
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
