import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** Loads a command when it is asked for: what the others need would double its start. */
type Load = () => Promise<CommandUnknownOpts>;

/** A noun with its verbs below it. */
interface Group {
  readonly summary: string;
  readonly description: string;
  readonly commands: Readonly<Record<string, Load>>;
  /** The verb that is meant where none is named. @default none */
  readonly otherwise?: string;
}

/** Every command, in the order of the help. */
const tree: Readonly<Record<string, Load | Group>> = {
  demo: async () => (await import('./local/commands/demo.js')).demoCommand(),
  init: async () => (await import('./local/commands/init.js')).initCommand(),
  up: async () => (await import('./local/commands/up.js')).upCommand(),
  down: async () => (await import('./local/commands/down.js')).downCommand(),
  worker: async () => (await import('./local/commands/worker.js')).workerCommand(),
  simulate: async () => (await import('./local/commands/simulate.js')).simulateCommand(),
  status: async () => (await import('./status/commands/status.js')).statusCommand(),
  open: async () => (await import('./run/commands/open.js')).openCommand(),
  doctor: async () => (await import('./transfer/commands/doctor.js')).doctorCommand(),
  diff: async () => (await import('./transfer/commands/diff.js')).diffCommand(),
  sync: async () => (await import('./transfer/commands/sync.js')).syncCommand(),
  backup: {
    summary: "keep a group's content as a snapshot, and see that it can be restored",
    description: "Keeps a group's content as a snapshot in the store, and shows that it can be restored.",
    commands: {
      create: async () => (await import('./snapshot/commands/backup-create.js')).backupCreateCommand(),
      drill: async () => (await import('./snapshot/commands/backup-drill.js')).backupDrillCommand(),
    },
  },
  freeze: async () => (await import('./portal-change/commands/freeze.js')).freezeCommand(),
  unfreeze: async () => (await import('./portal-change/commands/freeze.js')).unfreezeCommand(),
  freezes: async () => (await import('./portal-change/commands/freezes.js')).freezesCommand(),
  restore: async () => (await import('./snapshot/commands/restore.js')).restoreCommand(),
  run: {
    summary: 'look at runs, answer them, and do them again',
    description:
      'Looks at runs, answers them, and does again what went wrong. A run is named by its id, an end of it, or "latest".',
    commands: {
      list: async () => (await import('./run/commands/list.js')).runListCommand(),
      show: async () => (await import('./run/commands/show.js')).runShowCommand(),
      logs: async () => (await import('./run/commands/logs.js')).runLogsCommand(),
      bundle: async () => (await import('./run/commands/bundle.js')).runBundleCommand(),
      watch: async () => (await import('./run/commands/watch.js')).runWatchCommand(),
      approve: async () => (await import('./run/commands/approve.js')).runApproveCommand(),
      reject: async () => (await import('./run/commands/reject.js')).runRejectCommand(),
      resume: async () => (await import('./run/commands/resume.js')).runResumeCommand(),
      restart: async () => (await import('./run/commands/restart.js')).runRestartCommand(),
      rollback: async () => (await import('./run/commands/rollback.js')).runRollbackCommand(),
      retry: async () => (await import('./run/commands/retry.js')).runRetryCommand(),
      cancel: async () => (await import('./run/commands/cancel.js')).runCancelCommand(),
    },
  },
  schedule: {
    summary: 'what is started by the clock',
    description:
      'Backups, syncs and drills that are started by the clock. They are written in portolan.yaml and brought to Temporal with "schedule apply"; there they need no command and no worker to be due.',
    commands: {
      list: async () => (await import('./schedule/commands/list.js')).scheduleListCommand(),
      show: async () => (await import('./schedule/commands/show.js')).scheduleShowCommand(),
      apply: async () => (await import('./schedule/commands/apply.js')).scheduleApplyCommand(),
      pause: async () => (await import('./schedule/commands/pause.js')).schedulePauseCommand(),
      resume: async () => (await import('./schedule/commands/resume.js')).scheduleResumeCommand(),
      trigger: async () => (await import('./schedule/commands/trigger.js')).scheduleTriggerCommand(),
      backfill: async () => (await import('./schedule/commands/backfill.js')).scheduleBackfillCommand(),
    },
  },
  hook: {
    summary: 'who calls Portolan, and whom it calls',
    description:
      'Hooks that start a run when somebody else calls them (hooks of portolan.yaml), and receivers that are told what happens (notify).',
    commands: {
      list: async () => (await import('./hook/commands/list.js')).hookListCommand(),
      test: async () => (await import('./hook/commands/test.js')).hookTestCommand(),
    },
  },
  queue: {
    summary: 'show portal queues and free slots',
    description:
      'Show portal queues and free slots. A portal runs a limited number of exports and imports at a time (concurrency); other runs wait for a slot.',
    commands: {
      list: async () => (await import('./queue/commands/list.js')).queueListCommand(),
      release: async () => (await import('./queue/commands/release.js')).queueReleaseCommand(),
    },
  },
  deploy: {
    summary: 'builds of workflow code: which one begins runs, and which runs keep to which',
    description:
      'Looks at the builds of the Worker Deployment of portolan.yaml (temporal.worker.deployment), has one of them begin runs, and moves what stands still to it. A build is named by its id or the beginning of it.',
    commands: {
      status: async () => (await import('./deployment/commands/status.js')).deployStatusCommand(),
      'set-current': async () =>
        (await import('./deployment/commands/set-current.js')).deploySetCurrentCommand(),
      ramp: async () => (await import('./deployment/commands/ramp.js')).deployRampCommand(),
      drain: async () => (await import('./deployment/commands/drain.js')).deployDrainCommand(),
    },
  },
  snapshot: {
    summary: 'look at snapshots, verify, compare, keep and forget them',
    description:
      'Looks at snapshots, verifies and compares them, keeps and forgets them, and carries them to other stores. A snapshot is named by its id, an end of it, "latest", or "latest:ROUTE".',
    commands: {
      list: async () => (await import('./snapshot/commands/list.js')).snapshotListCommand(),
      show: async () => (await import('./snapshot/commands/show.js')).snapshotShowCommand(),
      verify: async () => (await import('./snapshot/commands/verify.js')).snapshotVerifyCommand(),
      diff: async () => (await import('./snapshot/commands/diff.js')).snapshotDiffCommand(),
      pin: async () => (await import('./snapshot/commands/pin.js')).snapshotPinCommand(),
      unpin: async () => (await import('./snapshot/commands/unpin.js')).snapshotUnpinCommand(),
      forget: async () => (await import('./snapshot/commands/forget.js')).snapshotForgetCommand(),
      export: async () => (await import('./snapshot/commands/export.js')).snapshotExportCommand(),
      import: async () => (await import('./snapshot/commands/import.js')).snapshotImportCommand(),
      keygen: async () => (await import('./snapshot/commands/keygen.js')).snapshotKeygenCommand(),
    },
  },
  release: {
    summary: "what a pipeline's groups hold at one moment, as one thing",
    description:
      'Makes releases, looks at them, compares, keeps and forgets them. A release holds a snapshot of each group of a pipeline and never changes. It is named by its id, an end of it, "latest", or "latest:PIPELINE".',
    commands: {
      create: async () => (await import('./release/commands/create.js')).releaseCreateCommand(),
      list: async () => (await import('./release/commands/list.js')).releaseListCommand(),
      show: async () => (await import('./release/commands/show.js')).releaseShowCommand(),
      diff: async () => (await import('./release/commands/diff.js')).releaseDiffCommand(),
      pin: async () => (await import('./release/commands/pin.js')).releasePinCommand(),
      unpin: async () => (await import('./release/commands/pin.js')).releaseUnpinCommand(),
      export: async () => (await import('./release/commands/export.js')).releaseExportCommand(),
      import: async () => (await import('./release/commands/import.js')).releaseImportCommand(),
      forget: async () => (await import('./release/commands/forget.js')).releaseForgetCommand(),
    },
  },
  promote: {
    summary: 'bring a release from stage to stage, and back',
    description:
      'Brings releases of a pipeline from stage to stage, shows what stands where, and brings a stage back. Without a verb, it brings a release into a stage: portolan promote PIPELINE --to STAGE',
    otherwise: 'start',
    commands: {
      start: async () => (await import('./promotion/commands/start.js')).promoteStartCommand(),
      status: async () => (await import('./promotion/commands/status.js')).promoteStatusCommand(),
      diff: async () => (await import('./promotion/commands/diff.js')).promoteDiffCommand(),
      history: async () => (await import('./promotion/commands/history.js')).promoteHistoryCommand(),
      rollback: async () => (await import('./promotion/commands/rollback.js')).promoteRollbackCommand(),
    },
  },
  'category-schema': {
    summary: "the categories under which a portal's items are filed",
    description:
      "Writes a portal's category schema to a file, compares the two, puts a file or what was there before back, or takes the schema away.",
    commands: {
      export: async () =>
        (await import('./portal-change/commands/category-schema-export.js')).categorySchemaExportCommand(),
      diff: async () =>
        (await import('./portal-change/commands/category-schema-diff.js')).categorySchemaDiffCommand(),
      apply: async () =>
        (await import('./portal-change/commands/category-schema-apply.js')).categorySchemaApplyCommand(),
      delete: async () =>
        (await import('./portal-change/commands/category-schema-delete.js')).categorySchemaDeleteCommand(),
    },
  },
  settings: {
    summary: 'notices, banner and properties of a portal, as a file',
    description:
      "A portal's access notices, its banner and its properties as a file that can be compared, applied and carried to another portal. What a file leaves out stays as it is, and null clears. docs/reference/settings.md has every setting.",
    commands: {
      export: async () =>
        (await import('./portal-change/commands/settings-export.js')).settingsExportCommand(),
      diff: async () => (await import('./portal-change/commands/settings-diff.js')).settingsDiffCommand(),
      apply: async () => (await import('./portal-change/commands/settings-apply.js')).settingsApplyCommand(),
      promote: async () =>
        (await import('./portal-change/commands/settings-promote.js')).settingsPromoteCommand(),
    },
  },
  'task-run': {
    summary: "what the runs of a portal's scheduled tasks say",
    description:
      "Sets what a run of a portal's scheduled task says. A sync or backup that is bound to a task (--task-run, or taskRun of its route) does so by itself.",
    commands: {
      update: async () =>
        (await import('./portal-change/commands/task-run-update.js')).taskRunUpdateCommand(),
    },
  },
  serve: {
    summary: 'what programs can ask over HTTP',
    description:
      'Answers over HTTP what the command line answers, and makes keys for those who ask. Without a verb, it answers: portolan serve',
    otherwise: 'start',
    commands: {
      start: async () => (await import('./serve/commands/start.js')).serveStartCommand(),
      key: async () => (await import('./serve/commands/key.js')).serveKeyCommand(),
    },
  },
  login: async () => (await import('./sign-in/commands/login.js')).loginCommand(),
  logout: async () => (await import('./sign-in/commands/logout.js')).logoutCommand(),
  whoami: async () => (await import('./sign-in/commands/whoami.js')).whoamiCommand(),
  completion: async () => (await import('./completion/commands/completion.js')).completionCommand(),
  clean: async () => (await import('./transfer/commands/clean.js')).cleanCommand(),
};

/** The commands that the words of a line name; where a word names none, all of them, for the help. */
export const loadCommands = ([word, below]: readonly string[]): Promise<CommandUnknownOpts[]> =>
  Promise.all(
    named(tree, word).map(([name, entry]) =>
      typeof entry === 'function' ? entry() : loadGroup(name, entry, below),
    ),
  );

async function loadGroup(
  name: string,
  { summary, description, commands, otherwise }: Group,
  word: string | undefined,
): Promise<CommandUnknownOpts> {
  const group = new Command(name).summary(summary).description(description);
  const wanted = word !== undefined && word in commands ? word : undefined;
  for (const command of await Promise.all(named(commands, wanted).map(([, load]) => load())))
    group.addCommand(command, { isDefault: command.name() === otherwise });
  return group;
}

function named<T>(all: Readonly<Record<string, T>>, word: string | undefined): [string, T][] {
  const entries = Object.entries(all);
  const found = entries.filter(([name]) => name === word);
  return found.length > 0 ? found : entries;
}
