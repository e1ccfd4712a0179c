import { isSameUser } from '../text/same-user';
import type { Person } from './signature';
import type { Approval, Route, RouteOptions } from '../transfer/route';

/** The least that a write into a portal needs. */
export const leastForWrites = ['free', 'ask', 'required', 'never'] as const;

/** What the worker's configuration asks of whatever writes into a portal. */
export interface PortalPolicy {
  /** @default 'free': routes decide */
  readonly writes: (typeof leastForWrites)[number];
  /** Who may approve, by a proof of who they are. @default anybody */
  readonly approvers?: Approvers;
  /** Whoever started a run cannot approve it. @default false */
  readonly twoPeople: boolean;
  /** Runs that no route of the worker names may write too. @default true */
  readonly adhoc: boolean;
  /** When imports may begin. @default always */
  readonly windows?: readonly Window[];
}

/** Those who may approve: whoever is named, and whoever is a member. */
export interface Approvers {
  /** Names of keys, `user` or `user@portal` of those who sign in. */
  readonly users: readonly string[];
  /** Id of a group of the portal that is written into. @default none */
  readonly group?: string;
}

/** When imports may begin, or may not. A deny goes before any allow; where there is an allow, only inside of one. */
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
      /** The first day and the last one, `YYYY-MM-DD`; both are denied. */
      readonly from: string;
      readonly to: string;
      readonly timezone: string;
      readonly reason?: string;
    };

/** What a run has to keep to, whatever it was started with: decided by the worker, and known from its first activity on. */
export interface Ruling {
  readonly approval: Approval;
  /** By name. @default anybody */
  readonly approvers?: readonly string[];
  /** Some of them are members of a group, which may have others by the time of the answer. @default false */
  readonly asMembers?: true;
  readonly twoPeople: boolean;
  /** Its import begins only when windows of the portal let it. @default false */
  readonly hasWindows?: true;
}

/** What would write: a run that shows a plan first, and waits for a yes to it where one is needed, or one that cannot wait. */
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

/** The options with which a run may do more than its route says. */
export type Latitude = Pick<RouteOptions, 'overwrite' | 'data'> &
  Partial<Pick<RouteOptions, 'take' | 'allowShrink' | 'exclude'>>;

/** A write into a portal, before it is made. */
export interface IntendedWrite {
  readonly writer: Writer;
  /** Of a run that carries a route; as its starter named it. */
  readonly route?: string;
  /** Where the content comes from; a restore only remembers it. */
  readonly source?: { readonly portal: string; readonly groupId: string };
  readonly target: { readonly portal: string; readonly groupId?: string };
  /** What the starter would do to what is there. @default no more than its route says */
  readonly options?: Latitude;
  /** What the starter would have asked for. @default 'none' */
  readonly approval?: Approval;
  /** Somebody has approved the plan of the run that this write belongs to. @default false */
  readonly isApproved?: boolean;
  /** It goes on with what the run has begun to import or to put back: windows bind the beginning. @default false */
  readonly hasBegun?: boolean;
  /** The stage, `PIPELINE/STAGE`, into which a promotion brings it. @default none */
  readonly stage?: string;
}

/** What a run asks that carries a route. */
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

export const latitudeOf = ({ overwrite, data, take, allowShrink, exclude }: Latitude): Latitude => ({
  overwrite,
  data,
  take,
  allowShrink,
  exclude,
});

/** Whether a run shows its plan and waits for an approval of it. Others start with the approval that they need, or not at all. */
export const showsPlan = (writer: Writer): boolean => writer === 'sync' || writer === 'restore';

/** What a run of a kind writes first of all. @param imports of a drill */
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

/** Why a name may not approve a plan of a run; undefined where it may, if it is theirs. */
export function whyNotNamed(
  { twoPeople, approvers }: Pick<Ruling, 'twoPeople' | 'approvers'>,
  who: string,
  startedBy: string,
): string | undefined {
  if (twoPeople && isSameUser(who, startedBy))
    return `${who} started the run, and the policy of its target requires a second approver`;
  if (approvers && !isOneOf(who, approvers))
    return `${who} is not an approver; approvers: ${namedFew(approvers)}`;
  return undefined;
}

/** Why somebody may not approve a plan of a run; undefined where they may. */
export function whyNotApprover(
  ruling: Pick<Ruling, 'twoPeople' | 'approvers'>,
  { who, identity }: Person,
  starter: Person,
): string | undefined {
  // Of two who are known in different ways, what both are called.
  const isSame = identity !== starter.identity && isSameUser(userIn(who), userIn(starter.who));
  const why = whyNotNamed(ruling, who, isSame ? who : starter.who);
  if (why !== undefined) return why;
  // Whoever types a command says themselves who they are.
  if (ruling.approvers && identity === 'claimed')
    return `the identity of ${who} is unverified, and the policy of the target names approvers: decide through portolan serve, signed in or with a key`;
  return undefined;
}

/** A list may be that of a group. */
const NAMED_MAX = 12;
const namedFew = (names: readonly string[]): string =>
  names.length > NAMED_MAX
    ? `${names.slice(0, NAMED_MAX).join(', ')} and ${names.length - NAMED_MAX} more`
    : names.join(', ');

const userIn = (who: string): string => (who.includes('@') ? who.slice(0, who.lastIndexOf('@')) : who);

/** Whether somebody, `user@host`, is one of these, `user` or `user@host`. */
export function isOneOf(who: string, users: readonly string[]): boolean {
  const user = userIn(who);
  const host = who.slice(user.length).toLowerCase();
  return users.some(
    // A name that says where somebody is from means nobody else, who may be called so there.
    (each) => isSameUser(who, each) || (isSameUser(user, each) && !each.toLowerCase().endsWith(host)),
  );
}
