/**
 * The only table of error meanings: whether to retry, what to tell people, and the exit status.
 *
 * - `kind`: `transient` passes by itself, `permanent` needs a person, `unknown` may be either.
 * - `begun`: for a write, can the portal have started it? `no` allows a repeat; `maybe` requires a check first.
 * - `exit`: exit status of a command that ends with this error.
 * - `hint`: what to do next.
 */
export interface ErrorMeaning {
  readonly kind: ErrorKind;
  readonly begun: 'no' | 'maybe';
  readonly exit: number;
  readonly hint: string;
}

export type ErrorKind = 'transient' | 'permanent' | 'unknown';

/** Exit statuses of all commands. */
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
  // Usage and configuration
  USAGE: permanent(2, 'Run the command with --help.'),
  CONFIG_INVALID: permanent(2, 'Fix the listed settings in portolan.yaml.'),
  CONFIG_MISMATCH: permanent(2, 'Use the same portals and store here and on the worker.'),
  SECRET_UNREADABLE: permanent(2, 'Check that the worker can read this secret.'),
  ENCRYPTION_KEY_MISSING: permanent(
    2,
    'Add this key to temporal.encryption.keys after the active one, then restart. Compare keys with: portolan doctor',
  ),
  PAYLOAD_ALTERED: permanent(
    1,
    "Compare encryption keys: portolan doctor. If they match, check who can write to Temporal's database.",
  ),
  SAME_PORTAL: permanent(2, 'Choose two different portals; items keep their IDs.'),
  INSECURE_URL: permanent(2, 'Use https, or set insecure: true for this portal.'),

  // Sign-in and privileges
  CREDENTIALS_REFUSED: permanent(12, "Check this portal's user name and password in portolan.yaml."),
  TOKEN_REFUSED: permanent(
    12,
    "Check this portal's token or API key: it has expired, is wrong, or is bound to another referer.",
  ),
  PERMISSION_DENIED: permanent(12, 'Use an account that has this privilege.'),
  NO_USER: permanent(12, 'App credentials cannot write. Sign in as a user.'),
  NOT_OWNER_OR_ADMIN: permanent(12, 'Sign in as the owner of the group or as an administrator.'),

  // Not found
  PORTAL_NOT_FOUND: permanent(10, 'Use a portal from portolan.yaml, and check its url.'),
  GROUP_NOT_FOUND: permanent(10, 'Check the group ID, and that the account can see the group.'),
  ITEM_NOT_FOUND: permanent(10, 'Check the item ID, and that the account can see the item.'),
  ITEM_NOT_IN_GROUP: permanent(10, 'Share the item with the source group, or remove it from --items.'),
  ROUTE_NOT_FOUND: permanent(10, 'Use a route from portolan.yaml.'),
  RULE_NOT_FOUND: permanent(10, 'Use a rule from portals.NAME.protect in portolan.yaml.'),
  PIPELINE_NOT_FOUND: permanent(10, 'Use a pipeline from portolan.yaml.'),
  STAGE_NOT_FOUND: permanent(2, 'Use a stage of the pipeline.'),
  NOTHING_TO_RETRY: permanent(exitStatus.done, 'See what the run has done: portolan run show'),
  RELEASE_NOT_FOUND: permanent(10, 'List releases: portolan release list'),
  RUN_NOT_FOUND: permanent(10, 'List all runs: portolan run list'),
  SNAPSHOT_NOT_FOUND: permanent(10, 'List snapshots: portolan snapshot list'),
  SCHEDULE_NOT_FOUND: permanent(10, 'List schedules: portolan schedule list'),
  NOT_FOUND: permanent(10, 'Check that it exists and that this account can see it.'),

  // The connection to the portal
  DNS_FAILED: refused('The host name does not resolve. Check url and the network.'),
  CONNECTION_REFUSED: refused('Cannot connect. Check url, and that the portal is running.'),
  TLS_FAILED: {
    kind: 'permanent',
    begun: 'no',
    exit: 1,
    hint: "Set the portal's ca to its CA certificate.",
  },
  CONNECTION_LOST: lost('Retries failed. Check the network and any proxy.'),
  TIMEOUT: lost("Retries failed. Check the portal's load, or raise its timeout."),
  RESPONSE_CUT: lost('Retries failed. A proxy or load balancer truncates responses.'),
  ABORTED: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 5,
    hint: 'The request was interrupted. Try again.',
  },

  // Responses of the portal
  RATE_LIMITED: refused('Portolan retries automatically. If this persists, run at a quieter time.'),
  UNAVAILABLE: lost("Retries failed. Check that the portal's web adaptor and Portal service are running."),
  SERVER_ERROR: {
    kind: 'unknown',
    begun: 'maybe',
    exit: 1,
    hint: "Check the portal's log for that time.",
  },
  HTML_RESPONSE: lost(
    'Got a web page, not JSON. Set url to the portal itself, not to a sign-in page or proxy.',
  ),
  BAD_RESPONSE: {
    kind: 'unknown',
    begun: 'maybe',
    exit: 1,
    hint: 'Unexpected response. Check that url ends in /sharing/rest.',
  },
  ANSWER_TOO_LARGE: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 1,
    hint: "The response exceeds Portolan's limit. Ask the portal's administrator to investigate.",
  },
  ID_REFUSED: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 1,
    hint: 'The portal returned an invalid ID (allowed: 128 letters, digits, . _ @ -) or a user name that is a path. Ask its administrator why.',
  },
  BAD_REQUEST: permanent(1, 'Read the portal message, fix its cause, and try again.'),
  NOT_TAKEN: permanent(1, 'The portal reported success but kept the old value. Check it there.'),
  NOT_SUPPORTED: permanent(
    1,
    'This portal does not support the operation: too old, or the wrong product (ArcGIS Enterprise or ArcGIS Online).',
  ),

  // Jobs
  JOB_FAILED: permanent(1, 'Read the portal message and fix the cause. Then resume or restart the run.'),
  JOB_DEADLINE: permanent(1, 'Check the job on the portal. If it is slow, raise jobDeadline.'),
  JOB_LOST: permanent(
    1,
    'The portal no longer knows the job. Check its log. Then resume or restart the run.',
  ),
  EXPORT_FAILED: permanent(1, 'Every item failed to export. Read the portal message of each.'),
  PREVIEW_IGNORED: permanent(
    1,
    'This portal imported instead of previewing. Check the target group, and do not sync to this portal.',
  ),
  EXPORT_UNDECIDED: permanent(
    1,
    'The export may have started. On the portal that the message names, wait until no export runs and delete any packages it names. Then resume or restart the run.',
  ),
  IMPORT_UNDECIDED: permanent(
    1,
    'The import may have started. Check which items have arrived. Resuming may send a second import; cancelling sends none.',
  ),
  SECRET_CHANGED: permanent(
    1,
    'The control.key changed during the job. Restore the old key. Then resume or restart the run.',
  ),

  // Transfers
  WRONG_LENGTH: lost('Retries failed. Compare the file with the size of the item on the portal.'),
  HASH_MISMATCH: {
    kind: 'permanent',
    begun: 'no',
    exit: 1,
    hint: 'The stored package differs from the download. Check the disk of the store.',
  },
  ADDRESS_REFUSED: permanent(
    1,
    'A URL or redirect of the portal points to this machine or a link-local address. Check its WebContextURL and content store settings.',
  ),
  REDIRECT_LOOP: permanent(1, 'The portal redirects endlessly. Check its content store.'),
  NO_SPACE: permanent(1, "Free disk space in Portolan's store. Then resume or restart the run."),
  TRANSFER_STALLED: {
    kind: 'permanent',
    begun: 'maybe',
    exit: 1,
    hint: 'Transfer stalled. Check the network to the portal.',
  },
  PACKAGE_MISSING: permanent(1, 'The package is missing from the store. Resume or restart the run.'),

  // Store and snapshots
  STORE_BROKEN: { kind: 'unknown', begun: 'no', exit: 1, hint: 'Check the store named in portolan.yaml.' },
  STORE_DENIED: permanent(12, "Grant the store's account this permission, or use another store."),
  STORE_MISSING: permanent(1, 'Create the bucket or folder of the store, or name another in portolan.yaml.'),
  STORE_UNREACHABLE: {
    kind: 'transient',
    begun: 'maybe',
    exit: 1,
    hint: "Check the network, and the store's endpoint in portolan.yaml.",
  },
  NOTE_ALTERED: permanent(
    1,
    'A state file in the store was modified, or signed with another store.key. Check who can write to the store, and start the run again.',
  ),
  FILE_ALTERED: permanent(1, 'Get the file again from the person who exported it.'),
  FILE_UNTRUSTED: permanent(
    1,
    'Get the public key directly from the person who exported it, and pass it with --trust.',
  ),
  RELEASE_ALTERED: permanent(
    1,
    'The release was modified, or signed with another key. Forget it, create another, and check who can write to the store.',
  ),
  PROMOTION_REFUSED: permanent(1, 'See the current releases: portolan promote status'),
  RELEASE_BLOCKED: permanent(1, 'Promote another release. To allow this one again: portolan release unblock'),
  PROMOTION_BLOCKED: permanent(
    1,
    'Nothing was imported. Fix what is blocked, then promote the release again.',
  ),
  PROMOTION_FAILED: permanent(
    1,
    'Check the run of the failed group. Then resume the promotion, or roll the stage back.',
  ),
  CHECK_FAILED: permanent(
    1,
    'Read the result of the check. Then resume the promotion, or roll the stage back.',
  ),
  RELEASE_INCOMPLETE: permanent(1, 'Add what is missing, then create the release again.'),
  RELEASE_IN_USE: permanent(1, 'See where it is in use: portolan promote status'),
  RELEASE_PINNED: permanent(1, 'Unpin it first: portolan release unpin'),
  SNAPSHOT_ALTERED: permanent(
    1,
    'The snapshot was modified, or signed with another key. Take a new snapshot, and check who can write to the store.',
  ),
  SNAPSHOT_INCOMPLETE: permanent(1, 'Take a snapshot that contains what you need.'),
  SNAPSHOT_PINNED: permanent(1, 'Unpin it first: portolan snapshot unpin'),
  SNAPSHOT_NEEDED: permanent(
    1,
    'Still needed. Take a newer snapshot, or wait for the open run: portolan run list',
  ),
  RETENTION_EMPTY: permanent(2, 'Give at least one rule, such as --keep-daily 14.'),
  NOT_SCRATCH: permanent(2, 'Use --import only with a portal that has role: scratch in portolan.yaml.'),
  OWNER_NOT_FOUND: permanent(2, 'Set owners.map or owners.default of the stage to users of the target.'),
  DRILL_BLOCKED: permanent(
    1,
    'Some items were blocked, so nothing is proven. Use a portal that accepts them all.',
  ),
  DRILL_NOT_EMPTY: permanent(
    1,
    'Delete the conflicting items on the scratch portal, or drill without --import.',
  ),

  // Guards
  NOT_SELF_MANAGED: permanent(1, 'Use ArcGIS Enterprise portals; no others can export and import groups.'),
  VERSION_TOO_OLD: permanent(1, 'Upgrade the portal to 10.8.1 or later.'),
  TARGET_OLDER: permanent(1, "Upgrade the target to the source's version or later."),
  TARGET_READ_ONLY: permanent(1, 'Turn off read-only mode of the target.'),
  ITEM_TOO_LARGE: permanent(
    1,
    'Remove the item from the group, or raise limits.itemBytes if this portal allows more.',
  ),
  PACKAGE_TOO_LARGE: permanent(
    1,
    "Omit the large item with --items or the route's exclude, or raise limits.packageBytes if both portals allow more.",
  ),
  DISK_FULL: permanent(1, "Free disk space in the portal's content store, or lower limits.freeDiskBytes."),
  STORE_FULL: permanent(1, "Free disk space in Portolan's store."),

  // Plan, safeguard, approval
  PLAN_CHANGED: permanent(4, 'The target changed after the approval. Approve the new plan.'),
  PLAN_UNSTABLE: permanent(1, 'The target keeps changing. Retry when nobody is editing.'),
  SAFEGUARD_INCOMPLETE: permanent(
    1,
    'Could not save an item before overwriting. Exclude it (--exclude ID), or do not overwrite: omit --overwrite, and set overwrite: false in the route.',
  ),
  NOT_AUTHENTIC: permanent(12, "Use the worker's control.key, then repeat the command."),
  POLICY_REFUSED: permanent(
    1,
    "The portal's policy does not allow this. Check portals.NAME.policy on the worker.",
  ),
  PORTAL_FROZEN: permanent(1, 'Writes are frozen. Lift with: portolan unfreeze'),
  WINDOW_CLOSED: permanent(1, 'Start it while a window is open: see portals.NAME.policy.windows.'),
  APPROVAL_EXPIRED: permanent(1, 'Start the run again, and approve its plan in time.'),
  REJECTED: permanent(5, 'The plan was rejected. Resolve the reason given, then start the run again.'),

  // Parked runs
  PARK_EXPIRED: permanent(1, 'No one resumed the run in time. Fix the cause and start it again.'),
  SUPERSEDED: permanent(1, 'A later scheduled run replaced this one. Check that run.'),

  // Portolan itself
  TEMPORAL_UNREACHABLE: {
    kind: 'transient',
    begun: 'no',
    exit: 11,
    hint: 'Check that Temporal runs at temporal.address. If it is on this machine: portolan up',
  },
  SEARCH_ATTRIBUTES_MISSING: permanent(12, 'Ask a Temporal operator to create them.'),
  TEMPORAL_CLI_MISSING: permanent(
    11,
    'Put the Temporal CLI on PATH, name it in PORTOLAN_TEMPORAL_CLI, or install Go.',
  ),
  ADDRESS_IN_USE: permanent(11, 'Stop the program that uses it, or set another temporal.address.'),
  SERVER_UNREACHABLE: {
    kind: 'transient',
    begun: 'maybe',
    exit: 11,
    hint: 'Check that portolan serve is running there and reachable at this address.',
  },
  SERVER_ANSWER: permanent(1, "Check the server's address, and that it runs the same version of Portolan."),
  KEY_REFUSED: permanent(12, 'Set PORTOLAN_KEY to a key of the server, or sign in: portolan login'),
  RIGHT_MISSING: permanent(12, 'Ask the server administrator, or use another key.'),
  NO_WORKER: {
    kind: 'transient',
    begun: 'no',
    exit: 11,
    hint: 'Start the worker service. If everything is on one machine: portolan up; otherwise: portolan worker',
  },
  CANCELLED: permanent(5, 'The run was cancelled. Start it again if that was a mistake.'),
  INTERNAL: {
    kind: 'unknown',
    begun: 'maybe',
    exit: 1,
    hint: 'This is a bug in Portolan. Please report it with the run record.',
  },
} as const satisfies Record<string, ErrorMeaning>;

export type ErrorCode = keyof typeof errorTable;

/** The meaning of a code, typed as the general shape. */
export const meaningOf = (code: ErrorCode): ErrorMeaning => errorTable[code];

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);
