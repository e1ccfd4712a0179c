import { isSameUser } from '../identity';
import { listFirst } from '../text/words';
import type { Person } from './signature';
import type { Approval, Route, RouteOptions } from '../transfer/route';

/** Minimum approval for writes. */
export const leastForWrites = ['free', 'ask', 'required', 'never'] as const;

/** The policy of a portal in the worker's configuration. */
export interface PortalPolicy {
  /** @default 'free': routes decide */
  readonly writes: (typeof leastForWrites)[number];
  /** Approvers, by verified identity. @default anybody */
  readonly approvers?: Approvers;
  /** The starter cannot approve the run. @default false */
  readonly twoPeople: boolean;
  /** Writes not covered by a route are allowed too. @default true */
  readonly adhoc: boolean;
  /** Windows for starting imports. @default always */
  readonly windows?: readonly Window[];
}

/** Approvers: named people and group members. */
interface Approvers {
  /** API key names, or `user` or `user@portal` of people who sign in. */
  readonly users: readonly string[];
  /** ID of a group of the target portal. @default none */
  readonly group?: string;
}

/** Windows: deny takes precedence; with an allow window, imports start only within one. */
export type Window =
  | {
      readonly kind: 'allow';
      /** Five fields: when it opens. */
      readonly cron: string;
      /** How long it stays open. @format milliseconds */
      readonly forMs: number;
      /** IANA name. */
      readonly timezone: string;
    }
  | {
      readonly kind: 'deny';
      /** First and last day, `YYYY-MM-DD`, both denied. */
      readonly from: string;
      readonly to: string;
      readonly timezone: string;
      readonly reason?: string;
    };

/** The ruling for a run, decided by the worker at its first activity. */
export interface Ruling {
  readonly approval: Approval;
  /** By name. @default anybody */
  readonly approvers?: readonly string[];
  /** Some approvers are members of a group, which may change before the decision. @default false */
  readonly asMembers?: true;
  readonly twoPeople: boolean;
  /** Its import starts only within the portal's windows. @default false */
  readonly hasWindows?: true;
}

/** Kind of writer: a run that shows a plan and waits for approval if needed, or one that cannot wait. */
export type Writer =
  | 'sync'
  | 'restore'
  | 'drill'
  | 'drill with import'
  | 'leftovers'
  | 'settings'
  | 'categories'
  | 'task-run'
  | 'banner';

/** Options that let a run do more than its route. */
export type Latitude = Pick<RouteOptions, 'overwrite' | 'data'> &
  Partial<Pick<RouteOptions, 'take' | 'allowShrink' | 'exclude'>>;

/** An intended write. */
export interface IntendedWrite {
  readonly writer: Writer;
  /** Of a run that carries a route; as its starter named it. */
  readonly route?: string;
  /** Source of the content; a restore only remembers it. */
  readonly source?: { readonly portal: string; readonly groupId: string };
  readonly target: { readonly portal: string; readonly groupId?: string };
  /** What the starter's options allow. @default no more than its route says */
  readonly options?: Latitude;
  /** Approval rule requested by the starter. @default 'none' */
  readonly approval?: Approval;
  /** The plan of this write's run is approved. @default false */
  readonly isApproved?: boolean;
  /** Continues a started import or restore: windows apply only to the start. @default false */
  readonly hasBegun?: boolean;
  /** Target stage of a promotion, `PIPELINE/STAGE`. @default none */
  readonly stage?: string;
}

/** The intended write of a run with a route. */
export const askedBy = (
  writer: Writer,
  { name, source, target, options }: Route,
  stage?: string,
): IntendedWrite => ({
  writer,
  stage,
  route: name,
  source,
  target,
  approval: options.approval,
  options: latitudeOf(options),
});

const latitudeOf = ({ overwrite, data, take, allowShrink, exclude }: Latitude): Latitude => ({
  overwrite,
  data,
  take,
  allowShrink,
  exclude,
});

/** The first write of a kind of run. @param imports of a drill */
export function writerOf(kind: string, imports = false): Writer {
  switch (kind) {
    case 'sync':
    case 'bisect':
      return 'sync';
    case 'drill':
      return imports ? 'drill with import' : 'drill';
    case 'settings':
      return 'settings';
    case 'categorySchema':
      return 'categories';
    default:
      return 'restore';
  }
}

/** Why a name cannot approve a plan of a run; undefined if it can, provided it is verified. */
export function whyNotNamed(
  { twoPeople, approvers }: Pick<Ruling, 'twoPeople' | 'approvers'>,
  who: string,
  startedBy: string,
): string | undefined {
  if (twoPeople && isSameUser(who, startedBy))
    return `${who} started the run, and the policy of its target requires a second approver`;
  if (approvers && !isOneOf(who, approvers))
    return `${who} is not an approver; approvers: ${listFirst(approvers, NAMED_MAX).join(', ')}`;
  return undefined;
}

/** Why a person cannot approve a plan of a run; undefined if they can. */
export function whyNotApprover(
  ruling: Pick<Ruling, 'twoPeople' | 'approvers'>,
  { who, identity }: Person,
  starter: Person,
): string | undefined {
  // Compare names across identity sources.
  const isSame = identity !== starter.identity && isSameUser(userIn(who), userIn(starter.who));
  const why = whyNotNamed(ruling, who, isSame ? who : starter.who);
  if (why !== undefined) return why;
  // A name typed at a terminal is unverified.
  if (ruling.approvers && identity === 'claimed')
    return `the identity of ${who} is unverified, and the policy of the target names approvers: decide through portolan serve, signed in or with a key`;
  return undefined;
}

/** A list may contain many group members. */
const NAMED_MAX = 12;

const userIn = (who: string): string => (who.includes('@') ? who.slice(0, who.lastIndexOf('@')) : who);

/** Whether a person, `user@host`, matches one of these, `user` or `user@host`. */
export function isOneOf(who: string, users: readonly string[]): boolean {
  const user = userIn(who);
  const host = who.slice(user.length).toLowerCase();
  return users.some(
    // A name with a host matches only that host.
    (each) => isSameUser(who, each) || (isSameUser(user, each) && !each.toLowerCase().endsWith(host)),
  );
}
