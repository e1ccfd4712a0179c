/**
 * The one table that says what each error means. Nobody else decides whether something is retried,
 * what a person is told to do next, or with which status a command ends.
 *
 * - `kind`: `transient` goes away by itself, `permanent` needs a person, `unknown` may be either.
 * - `begun`: for a call that writes, can the portal have begun the work? `no` allows a repeat;
 *   `maybe` means: look first.
 * - `exit`: exit status of the command that ends with this error.
 * - `hint`: what to do next, in one sentence.
 */
export interface ErrorMeaning {
  readonly kind: ErrorKind;
  readonly begun: 'no' | 'maybe';
  readonly exit: number;
  readonly hint: string;
}

export type ErrorKind = 'transient' | 'permanent' | 'unknown';

/** Where an error comes from, seen from the run. */
export type ErrorOrigin = 'source' | 'target' | 'transfer' | 'tool' | 'config';

/** Exit statuses of the command line; every ending of every command is one of these. */
export const exitStatus = {
  done: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  waiting: 4,
  cancelled: 5,
  notFound: 10,
  noTemporal: 11,
  denied: 12,
  differences: 20,
  waitTimedOut: 124,
  stoppedWaiting: 130,
} as const;

const permanent = (exit: number, hint: string): ErrorMeaning => ({
  kind: 'permanent',
  begun: 'no',
  exit,
  hint,
});
const refused = (hint: string): ErrorMeaning => ({ kind: 'transient', begun: 'no', exit: 1, hint });
const lost = (hint: string): ErrorMeaning => ({ kind: 'transient', begun: 'maybe', exit: 1, hint });

export const errorTable = {
  // What a person typed or configured
  USAGE: permanent(2, 'See the command with --help.'),
  CONFIG_INVALID: permanent(2, 'Correct the named places in portolan.yaml.'),
  CONFIG_MISMATCH: permanent(
    2,
    "Make the worker's configuration and the starter's name the same portals and the same store.",
  ),
  SECRET_UNREADABLE: permanent(2, 'Make the secret readable where the worker runs.'),
  ENCRYPTION_KEY_MISSING: permanent(
    2,
    'Put that key into temporal.encryption.keys of portolan.yaml, behind the one that encrypts, and start what read it again; see which keys workers have with: portolan doctor',
  ),
  PAYLOAD_ALTERED: permanent(
    1,
    'Compare the keys of all portolan.yaml with: portolan doctor. Where they are the same, see who writes into the database of Temporal.',
  ),
  SAME_PORTAL: permanent(
    2,
    'Item ids are kept, so a group cannot be copied within one portal; name two portals.',
  ),
  INSECURE_URL: permanent(2, 'Use https, or set insecure: true for this portal.'),

  // Who we are and what we may do
  CREDENTIALS_REFUSED: permanent(12, 'Check user name and password of this portal in portolan.yaml.'),
  TOKEN_REFUSED: permanent(
    12,
    'Check the token or API key of this portal; it is expired, wrong, or bound to another referer.',
  ),
  PERMISSION_DENIED: permanent(12, 'Use an account with the right that is named.'),
  NO_USER: permanent(
    12,
    'Application credentials have no user; sign in with a user for anything that writes.',
  ),
  NOT_OWNER_OR_ADMIN: permanent(12, "Sign in as the group's owner or as an administrator."),

  // What is not there
  PORTAL_NOT_FOUND: permanent(10, 'Name a portal of portolan.yaml, and check its url.'),
  GROUP_NOT_FOUND: permanent(10, 'Check the group id and that the account can see the group.'),
  ITEM_NOT_FOUND: permanent(10, 'Check the item id.'),
  ITEM_NOT_IN_GROUP: permanent(10, 'Share the item with the source group, or leave it out of --items.'),
  ROUTE_NOT_FOUND: permanent(10, 'Name a route of portolan.yaml.'),
  PIPELINE_NOT_FOUND: permanent(10, 'Name a pipeline of portolan.yaml.'),
  STAGE_NOT_FOUND: permanent(2, 'Name a stage of the pipeline.'),
  RELEASE_NOT_FOUND: permanent(10, 'List the releases with: portolan release list'),
  RUN_NOT_FOUND: permanent(10, 'List the runs with: portolan run list'),
  SNAPSHOT_NOT_FOUND: permanent(10, 'List the snapshots with: portolan snapshot list'),
  SCHEDULE_NOT_FOUND: permanent(10, 'List the schedules with: portolan schedule list'),
  NOT_FOUND: permanent(10, 'Check that it exists, and that this account can see it.'),

  // The connection to the portal
  DNS_FAILED: refused('The host name does not resolve; check the url and the network.'),
  CONNECTION_REFUSED: refused('Nothing listens there; check the url and that the portal is up.'),
  TLS_FAILED: {
    kind: 'permanent',
    begun: 'no',
    exit: 1,
    hint: "Set the portal's ca to the certificate that signed its own.",
  },
  CONNECTION_LOST: lost(
    'Where repeats do not mend it, look at the network, and at what stands between here and the portal.',
  ),
  TIMEOUT: lost(
    'Where repeats do not mend it, see what keeps the portal busy, or raise its timeout in portolan.yaml.',
  ),
  RESPONSE_CUT: lost(
    'Where repeats do not mend it, look at the proxy or balancer before the portal: it cuts answers.',
  ),
  ABORTED: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 5,
    hint: 'The run was cancelled; start it again if that was a mistake.',
  },

  // What the portal answered
  RATE_LIMITED: refused(
    'It is tried again when the portal says so; if that lasts, sync when the portal is less busy.',
  ),
  UNAVAILABLE: lost(
    'Where repeats do not mend it, have the administrator start the portal, or what stands before it.',
  ),
  SERVER_ERROR: {
    kind: 'unknown',
    begun: 'maybe',
    exit: 1,
    hint: "Look into the portal's log at that time.",
  },
  HTML_RESPONSE: lost(
    'A sign-in page or a proxy stands before the portal: check the url, and that it leads past them.',
  ),
  BAD_RESPONSE: {
    kind: 'unknown',
    begun: 'maybe',
    exit: 1,
    hint: 'The answer is not what the interface says; check that the url ends in /sharing/rest.',
  },
  ANSWER_TOO_LARGE: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 1,
    hint: 'Nothing that a portal is asked for is so long: have its administrator look at what it answers there.',
  },
  ID_REFUSED: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 1,
    hint: 'An id is a word of up to 128 letters, digits and . _ @ -, and a user name no path: find out why that portal answers otherwise.',
  },
  BAD_REQUEST: permanent(1, "Read the portal's words; it refused the request as it was put."),
  NOT_TAKEN: permanent(1, 'The portal answered success and shows another value: look at it there.'),
  NOT_SUPPORTED: permanent(1, 'This portal is too old, or of the wrong deployment, for that: use another.'),

  // Jobs
  JOB_FAILED: permanent(1, "Read the portal's words, mend it there, and start the run again."),
  JOB_DEADLINE: permanent(1, 'Look at the job on the portal; raise jobDeadline if it is only slow.'),
  JOB_LOST: permanent(1, 'The portal no longer knows the job; look at its log and start the run again.'),
  EXPORT_FAILED: permanent(1, "Every item's export failed; read the portal's words for each."),
  PREVIEW_IGNORED: permanent(
    1,
    'This portal takes a preview for an import, and cannot be synced to; look at its target group.',
  ),
  EXPORT_UNDECIDED: permanent(
    1,
    'It is not known whether an export began; look at the packages on the source.',
  ),
  IMPORT_UNDECIDED: permanent(
    1,
    'It is not known whether the import began; look at the target group before a new run.',
  ),
  SECRET_CHANGED: permanent(1, 'The control key changed while the job ran; start the run again.'),

  // Transfers
  WRONG_LENGTH: lost("Where repeats do not mend it, compare the file with the item's size on the portal."),
  HASH_MISMATCH: {
    kind: 'permanent',
    begun: 'no',
    exit: 1,
    hint: 'The stored package is not what was downloaded; check the disk of the store.',
  },
  ADDRESS_REFUSED: permanent(
    1,
    'A portal may lead neither to link-local addresses nor, unless it is here itself, to this machine; see who set that address.',
  ),
  REDIRECT_LOOP: permanent(1, 'The portal redirects without end; check its content store.'),
  NO_SPACE: permanent(1, 'Make room where the store lies.'),
  TRANSFER_STALLED: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 1,
    hint: 'No byte, or hardly one, came for too long; check the network between here and the portal.',
  },
  PACKAGE_MISSING: permanent(1, 'The package is gone from the store; start the run again.'),

  // Store and snapshots
  STORE_BROKEN: { kind: 'unknown', begun: 'no', exit: 1, hint: 'Look at the store named in portolan.yaml.' },
  STORE_DENIED: permanent(
    12,
    'Give the account of the store the right that is named, or name another store.',
  ),
  STORE_MISSING: permanent(
    1,
    'Make the bucket or folder of the store, or name another one in portolan.yaml.',
  ),
  STORE_UNREACHABLE: {
    kind: 'transient',
    begun: 'maybe',
    exit: 1,
    hint: 'Check the endpoint of the store in portolan.yaml, and the network.',
  },
  NOTE_ALTERED: permanent(
    1,
    'Somebody else wrote it, an earlier version did, or one with another store.key: see who writes into the store, and start the run anew.',
  ),
  RELEASE_ALTERED: permanent(
    1,
    'It is not what Portolan wrote, or was written with another key: forget it and make another one, and see who changed the store.',
  ),
  RELEASE_NEWER: permanent(1, 'A newer Portolan wrote it: use that version, or a later one.'),
  PROMOTION_REFUSED: permanent(1, 'See where releases stand with: portolan promote status'),
  PROMOTION_BLOCKED: permanent(
    1,
    'Nothing was imported. Look at what is blocked, mend it, and promote the release again.',
  ),
  PROMOTION_FAILED: permanent(
    1,
    'Look at the run of the group that failed; then resume the promotion, or roll the stage back.',
  ),
  CHECK_FAILED: permanent(
    1,
    'Look at what the check said; then resume the promotion, or roll the stage back.',
  ),
  RELEASE_INCOMPLETE: permanent(1, 'Mend what is missing, and make the release again.'),
  RELEASE_IN_USE: permanent(1, 'See where it stands with: portolan promote status'),
  RELEASE_PINNED: permanent(1, 'Unpin it first, with: portolan release unpin'),
  RELEASE_UNTRUSTED: permanent(
    1,
    'Get the public key of whoever exported it from themselves, and name that with --trust.',
  ),
  SNAPSHOT_ALTERED: permanent(
    1,
    'It is not what Portolan wrote, or was written with another key: take another snapshot, and see who changed the store.',
  ),
  SNAPSHOT_NEWER: permanent(1, 'A newer Portolan wrote it: use that version, or a later one.'),
  SNAPSHOT_INCOMPLETE: permanent(1, 'Take a snapshot that holds what is asked for.'),
  SNAPSHOT_PINNED: permanent(1, 'Unpin it first, with: portolan snapshot unpin'),
  SNAPSHOT_NEEDED: permanent(
    1,
    'Take a newer one first, or wait until the run that needs it is over: portolan run list',
  ),
  SNAPSHOT_UNTRUSTED: permanent(
    1,
    'Get the public key of whoever exported it from themselves, and name that with --trust.',
  ),
  RETENTION_EMPTY: permanent(
    2,
    'Say what stays, such as --keep-daily 14; an empty policy would keep nothing.',
  ),
  NOT_SCRATCH: permanent(2, 'Import a drill only into a portal that portolan.yaml marks with role: scratch.'),
  OWNER_NOT_FOUND: permanent(
    2,
    "Name users of the target: owners.map or owners.default of the pipeline's stage.",
  ),
  DRILL_BLOCKED: permanent(
    1,
    'Drill into a portal that would take every item: what is blocked was not seen to be restorable.',
  ),
  DRILL_NOT_EMPTY: permanent(
    1,
    'Take away what is in the way on the scratch portal, or drill without --import.',
  ),

  // Guards
  NOT_SELF_MANAGED: permanent(1, 'Name self-managed portals: group export and import exist on no others.'),
  VERSION_TOO_OLD: permanent(1, 'Upgrade the portal to 10.8.1 or later.'),
  TARGET_OLDER: permanent(1, "The target must run the source's version or a later one."),
  TARGET_READ_ONLY: permanent(1, 'The target is read-only; have its administrator lift that.'),
  ITEM_TOO_LARGE: permanent(
    1,
    'Take the item out of the group, or raise limits.itemBytes if this portal allows more.',
  ),
  PACKAGE_TOO_LARGE: permanent(
    1,
    'Leave out the item that is too large, with --items or exclude of the route, or raise limits.packageBytes if these portals allow more.',
  ),
  DISK_FULL: permanent(1, 'Free disk space in the content store, or lower limits.freeDiskBytes.'),
  STORE_FULL: permanent(1, 'Make room where the store lies.'),

  // Plan, safeguard, approval
  PLAN_CHANGED: permanent(4, 'The target changed after the approval; approve the new plan.'),
  PLAN_UNSTABLE: permanent(1, 'The target keeps changing while we look; try when nobody edits it.'),
  SAFEGUARD_INCOMPLETE: permanent(
    1,
    'Something that would be overwritten could not be saved first; leave it out, or sync without --overwrite.',
  ),
  NOT_AUTHENTIC: permanent(
    12,
    'Starters, those who answer, and workers need the same control.key in portolan.yaml; start again, or answer again, with that of the worker.',
  ),
  POLICY_REFUSED: permanent(
    1,
    "The worker's policy for that portal refuses it; look at portals.NAME.policy.",
  ),
  PORTAL_FROZEN: permanent(1, 'Nothing is written there until somebody unfreezes it: portolan unfreeze'),
  WINDOW_CLOSED: permanent(
    1,
    'Start it when a window of that portal is open; look at portals.NAME.policy.windows.',
  ),
  APPROVAL_EXPIRED: permanent(1, 'Start the run again, and answer its plan in time.'),
  REJECTED: permanent(5, 'The plan was rejected; settle what it names, and start the run again.'),

  // Parked runs
  PARK_EXPIRED: permanent(1, 'Nobody resumed the run in time; mend the cause and start it again.'),
  SUPERSEDED: permanent(1, 'A later run of the same schedule took its place; look at that one.'),

  // Ourselves
  TEMPORAL_UNREACHABLE: { kind: 'transient', begun: 'no', exit: 11, hint: 'Start it with: portolan up' },
  SEARCH_ATTRIBUTES_MISSING: permanent(
    12,
    'Have an operator register them, with temporal operator search-attribute create.',
  ),
  TEMPORAL_CLI_MISSING: permanent(
    11,
    'Put the Temporal CLI on PATH, name it in PORTOLAN_TEMPORAL_CLI, or install Go.',
  ),
  ADDRESS_IN_USE: permanent(11, 'Stop what listens there, or choose another temporal.address.'),
  SERVER_UNREACHABLE: {
    kind: 'transient',
    begun: 'maybe',
    exit: 11,
    hint: 'See whether portolan serve is up there, and is reached under that address.',
  },
  SERVER_ANSWER: permanent(
    1,
    'Check the address of the server, and that it has the version of this machine.',
  ),
  KEY_REFUSED: permanent(12, 'Give a key of the server in PORTOLAN_KEY, or sign in: portolan login'),
  RIGHT_MISSING: permanent(12, 'Ask whoever keeps portolan.yaml of the server, or take another key.'),
  NO_WORKER: { kind: 'transient', begun: 'no', exit: 11, hint: 'Start one with: portolan worker' },
  CANCELLED: permanent(5, 'The run was cancelled; start it again if that was a mistake.'),
  INTERNAL: {
    kind: 'unknown',
    begun: 'maybe',
    exit: 1,
    hint: 'This is a defect of Portolan; please report it with the run record.',
  },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof errorTable;

/** The meaning of a code, typed as the general shape. */
export const meaningOf = (code: ErrorCode): ErrorMeaning => errorTable[code];

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);
