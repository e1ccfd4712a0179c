import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** Loads a command on demand: loading all of them would double the start time. */
type Load = () => Promise<CommandUnknownOpts>;

/** A noun with its verbs below it. */
interface Group {
  readonly description: string;
  readonly commands: Readonly<Record<string, Load>>;
  /** The verb to use if none is given. @default none */
  readonly defaultCommand?: string;
  /** @default COMMAND [options] */
  readonly usage?: string;
}

/** Every command, by the headings of the help and in its order. */
const tree: Readonly<Record<string, Readonly<Record<string, Load | Group>>>> = {
  'Get started:': {
    demo: async () => (await import('./local/commands/demo.js')).demoCommand(),
    init: async () => (await import('./local/commands/init.js')).initCommand(),
    up: async () => (await import('./local/commands/up.js')).upCommand(),
    down: async () => (await import('./local/commands/down.js')).downCommand(),
    simulate: async () => (await import('./local/commands/simulate.js')).simulateCommand(),
  },
  'Move content:': {
    doctor: async () => (await import('./transfer/commands/doctor.js')).doctorCommand(),
    diff: async () => (await import('./transfer/commands/diff.js')).diffCommand(),
    sync: async () => (await import('./transfer/commands/sync.js')).syncCommand(),
    backup: {
      description: 'Create and test snapshots of a group.',
      commands: {
        create: async () => (await import('./snapshot/commands/backup-create.js')).backupCreateCommand(),
        drill: async () => (await import('./snapshot/commands/backup-drill.js')).backupDrillCommand(),
      },
    },
    restore: async () => (await import('./snapshot/commands/restore.js')).restoreCommand(),
    release: {
      description:
        'Create and manage releases.\n\nA release holds one snapshot of each group of a pipeline and never changes.',
      commands: {
        create: async () => (await import('./release/commands/create.js')).releaseCreateCommand(),
        list: async () => (await import('./release/commands/list.js')).releaseListCommand(),
        show: async () => (await import('./release/commands/show.js')).releaseShowCommand(),
        diff: async () => (await import('./release/commands/diff.js')).releaseDiffCommand(),
        pin: async () => (await import('./snapshot/commands/pin.js')).releasePinCommand(),
        unpin: async () => (await import('./snapshot/commands/pin.js')).releaseUnpinCommand(),
        export: async () => (await import('./release/commands/export.js')).releaseExportCommand(),
        import: async () => (await import('./release/commands/import.js')).releaseImportCommand(),
        forget: async () => (await import('./release/commands/forget.js')).releaseForgetCommand(),
      },
    },
    promote: {
      description:
        "Promote a release to a stage, or roll a stage back.\n\nRun 'portolan promote start --help' for options.",
      usage: 'COMMAND [options]\n       portolan promote PIPELINE --to STAGE [options]',
      defaultCommand: 'start',
      commands: {
        start: async () => (await import('./promotion/commands/start.js')).promoteStartCommand(),
        status: async () => (await import('./promotion/commands/status.js')).promoteStatusCommand(),
        diff: async () => (await import('./promotion/commands/diff.js')).promoteDiffCommand(),
        history: async () => (await import('./promotion/commands/history.js')).promoteHistoryCommand(),
        rollback: async () => (await import('./promotion/commands/rollback.js')).promoteRollbackCommand(),
      },
    },
  },
  'Operate:': {
    status: async () => (await import('./status/commands/status.js')).statusCommand(),
    run: {
      description: 'List, inspect, approve, resume and roll back runs.',
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
      description:
        "Manage schedules.\n\nDefine schedules in portolan.yaml and bring them to Temporal with 'schedule apply'. From then on Temporal starts them, even if no worker is running.",
      commands: {
        list: async () => (await import('./schedule/commands/list.js')).scheduleListCommand(),
        show: async () => (await import('./schedule/commands/show.js')).scheduleShowCommand(),
        apply: async () => (await import('./schedule/commands/apply.js')).scheduleApplyCommand(),
        pause: async () => (await import('./schedule/commands/pause.js')).schedulePauseCommand(),
        resume: async () => (await import('./schedule/commands/pause.js')).scheduleResumeCommand(),
        trigger: async () => (await import('./schedule/commands/trigger.js')).scheduleTriggerCommand(),
      },
    },
    snapshot: {
      description: 'List, verify, compare, export and forget snapshots.',
      commands: {
        list: async () => (await import('./snapshot/commands/list.js')).snapshotListCommand(),
        show: async () => (await import('./snapshot/commands/show.js')).snapshotShowCommand(),
        verify: async () => (await import('./snapshot/commands/verify.js')).snapshotVerifyCommand(),
        diff: async () => (await import('./snapshot/commands/diff.js')).snapshotDiffCommand(),
        pin: async () => (await import('./snapshot/commands/pin.js')).snapshotPinCommand(),
        unpin: async () => (await import('./snapshot/commands/pin.js')).snapshotUnpinCommand(),
        forget: async () => (await import('./snapshot/commands/forget.js')).snapshotForgetCommand(),
        export: async () => (await import('./snapshot/commands/export.js')).snapshotExportCommand(),
        import: async () => (await import('./snapshot/commands/import.js')).snapshotImportCommand(),
        keygen: async () => (await import('./snapshot/commands/keygen.js')).snapshotKeygenCommand(),
      },
    },
    queue: {
      description:
        'Show portal queues, or free a slot.\n\nA portal runs a limited number of exports and imports at a time (concurrency). Other runs wait in its queues.',
      commands: {
        list: async () => (await import('./queue/commands/list.js')).queueListCommand(),
        release: async () => (await import('./queue/commands/release.js')).queueReleaseCommand(),
      },
    },
    freeze: async () => (await import('./portal-change/commands/freeze.js')).freezeCommand(),
    unfreeze: async () => (await import('./portal-change/commands/freeze.js')).unfreezeCommand(),
    freezes: async () => (await import('./portal-change/commands/freeze.js')).freezesCommand(),
    hook: {
      description:
        'List and test hooks and notifications.\n\nHooks let other systems start runs. Notifications tell receivers what happens (notify).',
      commands: {
        list: async () => (await import('./hook/commands/list.js')).hookListCommand(),
        test: async () => (await import('./hook/commands/test.js')).hookTestCommand(),
      },
    },
    open: async () => (await import('./run/commands/open.js')).openCommand(),
    clean: async () => (await import('./transfer/commands/clean.js')).cleanCommand(),
  },
  'Portals:': {
    settings: {
      description:
        'Manage portal settings.\n\nNotices, banner and properties of a portal, as a file. For all settings see docs/reference/settings.md.',
      commands: {
        export: async () => (await import('./portal-change/commands/export.js')).settingsExportCommand(),
        diff: async () => (await import('./portal-change/commands/diff.js')).settingsDiffCommand(),
        apply: async () => (await import('./portal-change/commands/apply.js')).settingsApplyCommand(),
        promote: async () =>
          (await import('./portal-change/commands/settings-promote.js')).settingsPromoteCommand(),
      },
    },
    'category-schema': {
      description: "Manage a portal's content categories.",
      commands: {
        export: async () =>
          (await import('./portal-change/commands/export.js')).categorySchemaExportCommand(),
        diff: async () => (await import('./portal-change/commands/diff.js')).categorySchemaDiffCommand(),
        apply: async () => (await import('./portal-change/commands/apply.js')).categorySchemaApplyCommand(),
        delete: async () =>
          (await import('./portal-change/commands/category-schema-delete.js')).categorySchemaDeleteCommand(),
      },
    },
    'task-run': {
      description:
        "Report to a portal's scheduled tasks.\n\nA sync, backup or restore with --task-run, or with taskRun of its route, reports by itself.",
      commands: {
        update: async () =>
          (await import('./portal-change/commands/task-run-update.js')).taskRunUpdateCommand(),
      },
    },
  },
  'Deploy:': {
    worker: async () => (await import('./local/commands/worker.js')).workerCommand(),
    serve: {
      description: 'Run the API and web UI, or create API keys.',
      usage: '[COMMAND] [options]',
      defaultCommand: 'start',
      commands: {
        start: async () => (await import('./serve/commands/start.js')).serveStartCommand(),
        key: async () => (await import('./serve/commands/key.js')).serveKeyCommand(),
      },
    },
    login: async () => (await import('./sign-in/commands/login.js')).loginCommand(),
    logout: async () => (await import('./sign-in/commands/logout.js')).logoutCommand(),
    whoami: async () => (await import('./sign-in/commands/whoami.js')).whoamiCommand(),
    completion: async () => (await import('./completion/commands/completion.js')).completionCommand(),
  },
};

/** The commands that the words of a line name. If the first word names none, all of them, for the help. */
export async function loadCommands([word, below]: readonly string[]): Promise<CommandUnknownOpts[]> {
  const commands = Object.entries(tree).flatMap(([heading, entries]) =>
    Object.entries(entries).map(([name, entry]) => ({ heading, name, entry })),
  );
  const found = commands.filter(({ name }) => name === word);
  return await Promise.all(
    (found.length > 0 ? found : commands).map(async ({ heading, name, entry }) =>
      (typeof entry === 'function' ? await entry() : await loadGroup(name, entry, below)).helpGroup(heading),
    ),
  );
}

async function loadGroup(
  name: string,
  { description, commands, defaultCommand, usage = 'COMMAND [options]' }: Group,
  word: string | undefined,
): Promise<CommandUnknownOpts> {
  const group = new Command(name).description(description).usage(usage);
  const named = Object.entries(commands).filter(([each]) => each === word);
  const loads = named.length > 0 ? named : Object.entries(commands);
  for (const command of await Promise.all(loads.map(([, load]) => load())))
    group.addCommand(command, { isDefault: command.name() === defaultCommand });
  return group;
}
