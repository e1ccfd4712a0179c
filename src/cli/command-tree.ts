import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';

/**
 * Loads the file of a command on demand: loading all of them would double the start time. Its function is named after the
 * words: `run list` is made by `runListCommand`.
 */
type Load = () => Promise<object>;

/** Every command, by the headings of the help and in its order. */
const tree: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Get started:': {
    demo: () => import('./local/commands/demo.js'),
    init: () => import('./local/commands/init.js'),
    up: () => import('./local/commands/up.js'),
    down: () => import('./local/commands/down.js'),
    simulate: () => import('./local/commands/simulate.js'),
  },
  'Move content:': {
    doctor: () => import('./transfer/commands/doctor.js'),
    diff: () => import('./transfer/commands/diff.js'),
    sync: () => import('./transfer/commands/sync.js'),
    'backup create': () => import('./snapshot/commands/backup-create.js'),
    'backup drill': () => import('./snapshot/commands/backup-drill.js'),
    'protect list': () => import('./protect/commands/list.js'),
    'protect show': () => import('./protect/commands/show.js'),
    'protect run': () => import('./protect/commands/run.js'),
    coverage: () => import('./protect/commands/coverage.js'),
    restore: () => import('./snapshot/commands/restore.js'),
    'release create': () => import('./release/commands/create.js'),
    'release list': () => import('./release/commands/list.js'),
    'release show': () => import('./release/commands/show.js'),
    'release diff': () => import('./release/commands/diff.js'),
    'release pin': () => import('./snapshot/commands/pin.js'),
    'release unpin': () => import('./snapshot/commands/pin.js'),
    'release block': () => import('./release/commands/block.js'),
    'release unblock': () => import('./release/commands/block.js'),
    'release export': () => import('./release/commands/export.js'),
    'release import': () => import('./release/commands/import.js'),
    'release forget': () => import('./release/commands/forget.js'),
    'promote start': () => import('./promotion/commands/start.js'),
    'promote status': () => import('./promotion/commands/status.js'),
    'promote diff': () => import('./promotion/commands/diff.js'),
    'promote history': () => import('./promotion/commands/history.js'),
    'promote rollback': () => import('./promotion/commands/rollback.js'),
  },
  'Operate:': {
    status: () => import('./status/commands/status.js'),
    'run list': () => import('./run/commands/list.js'),
    'run show': () => import('./run/commands/show.js'),
    'run logs': () => import('./run/commands/logs.js'),
    'run bundle': () => import('./run/commands/bundle.js'),
    'run watch': () => import('./run/commands/watch.js'),
    'run approve': () => import('./run/commands/answers.js'),
    'run reject': () => import('./run/commands/answers.js'),
    'run resume': () => import('./run/commands/answers.js'),
    'run restart': () => import('./run/commands/restart.js'),
    'run rollback': () => import('./run/commands/rollback.js'),
    'run retry': () => import('./run/commands/retry.js'),
    'run cancel': () => import('./run/commands/answers.js'),
    'schedule list': () => import('./schedule/commands/list.js'),
    'schedule show': () => import('./schedule/commands/show.js'),
    'schedule apply': () => import('./schedule/commands/apply.js'),
    'schedule pause': () => import('./schedule/commands/pause.js'),
    'schedule resume': () => import('./schedule/commands/pause.js'),
    'schedule trigger': () => import('./schedule/commands/trigger.js'),
    'snapshot list': () => import('./snapshot/commands/list.js'),
    'snapshot show': () => import('./snapshot/commands/show.js'),
    'snapshot verify': () => import('./snapshot/commands/verify.js'),
    'snapshot diff': () => import('./snapshot/commands/diff.js'),
    'snapshot pin': () => import('./snapshot/commands/pin.js'),
    'snapshot unpin': () => import('./snapshot/commands/pin.js'),
    'snapshot forget': () => import('./snapshot/commands/forget.js'),
    'snapshot export': () => import('./snapshot/commands/export.js'),
    'snapshot import': () => import('./snapshot/commands/export.js'),
    'snapshot keygen': () => import('./snapshot/commands/keygen.js'),
    'item list': () => import('./item/commands/list.js'),
    'item history': () => import('./item/commands/history.js'),
    'item show': () => import('./item/commands/show.js'),
    'item diff': () => import('./item/commands/diff.js'),
    'item restore': () => import('./item/commands/restore.js'),
    'queue list': () => import('./queue/commands/list.js'),
    'queue release': () => import('./queue/commands/release.js'),
    freeze: () => import('./portal-change/commands/freeze.js'),
    unfreeze: () => import('./portal-change/commands/freeze.js'),
    freezes: () => import('./portal-change/commands/freeze.js'),
    'hook list': () => import('./hook/commands/list.js'),
    'hook test': () => import('./hook/commands/test.js'),
    open: () => import('./run/commands/open.js'),
    clean: () => import('./transfer/commands/clean.js'),
  },
  'Portals:': {
    'settings export': () => import('./portal-change/commands/export.js'),
    'settings diff': () => import('./portal-change/commands/diff.js'),
    'settings apply': () => import('./portal-change/commands/apply.js'),
    'settings promote': () => import('./portal-change/commands/settings-promote.js'),
    'category-schema export': () => import('./portal-change/commands/export.js'),
    'category-schema diff': () => import('./portal-change/commands/diff.js'),
    'category-schema apply': () => import('./portal-change/commands/apply.js'),
    'category-schema delete': () => import('./portal-change/commands/category-schema-delete.js'),
    'task-run update': () => import('./portal-change/commands/task-run-update.js'),
  },
  'Deploy:': {
    worker: () => import('./local/commands/worker.js'),
    'serve start': () => import('./serve/commands/start.js'),
    'serve key': () => import('./serve/commands/key.js'),
    login: () => import('./sign-in/commands/login.js'),
    logout: () => import('./sign-in/commands/logout.js'),
    whoami: () => import('./sign-in/commands/whoami.js'),
    completion: () => import('./completion/commands/completion.js'),
  },
};

/** The words of every command, without `portolan`: `run list`. */
export const commandWords: readonly string[] = Object.values(tree).flatMap(Object.keys);

/** What a noun with verbs below it says of itself. A verb `start` is used if none is given. */
const groups: Readonly<Record<string, string>> = {
  backup: 'Create and test snapshots of a group.',
  protect:
    'Back up every group of a portal that matches a rule.\n\nDefine rules in portolan.yaml: portals.NAME.protect.',
  release:
    'Create and manage releases.\n\nA release holds one snapshot of each group of a pipeline and never changes.',
  promote:
    "Promote a release to a stage, or roll a stage back.\n\nRun 'portolan promote start --help' for options.",
  run: 'List, inspect, approve, resume and roll back runs.',
  schedule:
    "Manage schedules.\n\nDefine schedules in portolan.yaml and bring them to Temporal with 'schedule apply'. From then on Temporal starts them, even if no worker is running.",
  snapshot: 'List, verify, compare, export and forget snapshots.',
  item: 'Find single items in backups, compare their versions, and restore one.',
  queue:
    'Show portal queues, or free a slot.\n\nA portal runs a limited number of exports and imports at a time (concurrency). Other runs wait in its queues.',
  hook: 'List and test hooks and notifications.\n\nHooks let other systems start runs. Notifications tell receivers what happens (notify).',
  settings:
    'Manage portal settings.\n\nNotices, banner and properties of a portal, as a file. For all settings see docs/reference/settings.md.',
  'category-schema': "Manage a portal's content categories.",
  'task-run':
    "Report to a portal's scheduled tasks.\n\nA sync, backup or restore with --task-run, or with taskRun of its route, reports by itself.",
  serve: 'Run the API and web UI, or create API keys.',
};

const usages: Readonly<Record<string, string>> = {
  promote: 'COMMAND [options]\n       portolan promote PIPELINE --to STAGE [options]',
  serve: '[COMMAND] [options]',
};

/** The commands that the words of a line name. If the first word names none, all of them, for the help. */
export async function loadCommands([noun, verb]: readonly string[]): Promise<CommandUnknownOpts[]> {
  const all = Object.entries(tree).flatMap(([heading, commands]) =>
    Object.entries(commands).map(([words, load]) => ({ heading, words, load })),
  );
  const below = (typed: string) =>
    all.filter(({ words }) => words === typed || words.startsWith(`${typed} `));
  const named = [below(`${noun} ${verb}`), below(`${noun}`)].find(({ length }) => length > 0) ?? all;
  const found = new Map<string, CommandUnknownOpts>();
  for (const { heading, words, load } of named) {
    const [name = ''] = words.split(' ');
    const command = makeCommand(words, await load());
    const text = groups[name];
    const top =
      found.get(name) ??
      (text === undefined
        ? command
        : new Command(name).description(text).usage(usages[name] ?? 'COMMAND [options]'));
    if (top !== command) top.addCommand(command, { isDefault: command.name() === 'start' });
    found.set(name, top.helpGroup(heading));
  }
  return [...found.values()];
}

function makeCommand(words: string, file: object): CommandUnknownOpts {
  const name = `${words.replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase())}Command`;
  const make = (file as Readonly<Record<string, (() => CommandUnknownOpts) | undefined>>)[name];
  if (!make) throw new Error(`No file makes "portolan ${words}": there is no ${name}.`);
  return make();
}
