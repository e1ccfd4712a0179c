import { readdirSync } from 'node:fs';
import { cliArrows } from './cli-rooms.mjs';

/** The rooms of `src`: what each may import besides itself, and what to do where it would import something else. */
const rooms = {
  model: {
    knows: [],
    instead:
      'model/ imports nothing of the rest. Move the type that is needed down into model/, or the function up to whoever calls it.',
  },
  simulator: {
    knows: [],
    instead:
      'simulator/ shares nothing with the client, lest both make the same mistake. Write what it needs anew, from docs/reference/portal-interface.md.',
  },
  secrets: {
    knows: ['model'],
    instead: 'secrets/ knows errors and nothing else. Take the value that is needed as an argument.',
  },
  portal: {
    knows: ['model'],
    instead:
      'portal/ speaks the portal interface and knows no run, store or configuration. Take what is needed as an argument of plain values.',
  },
  store: {
    knows: ['model', 'secrets'],
    instead:
      'store/ keeps files and knows neither portals nor portolan.yaml. Its own settings are in store/store.ts, which config/ fills; take the rest as an argument.',
  },
  config: {
    knows: ['model', 'secrets', 'store', 'portal'],
    instead:
      'config/ compiles portolan.yaml and knows no run. Move a rule about runs to domain/, and let whoever loads the configuration call it.',
  },
  domain: {
    knows: ['model', 'secrets', 'store', 'portal', 'config'],
    instead:
      'domain/ holds rules without Temporal and without a terminal. Return a value or throw a PortolanError, and let activities/ or cli/ do the rest.',
  },
  contract: {
    knows: ['model'],
    instead:
      'contract/ says what can be asked of Portolan and what is answered. Do it in a handler of service/, and show it in cli/ or serve/.',
  },
  activities: {
    knows: ['model', 'secrets', 'store', 'portal', 'config', 'domain'],
    instead:
      'activities/ know neither who calls them nor how a worker runs. Take what is needed as input, or from ActivityDeps.',
  },
  workflows: {
    knows: ['model', 'store', 'portal', 'config', 'domain', 'activities'],
    instead: 'workflows/ decide the order of things. Call an activity, by its type, for whatever is done.',
  },
  tracing: {
    knows: ['model', 'secrets', 'portal', 'config'],
    instead:
      'tracing/ sends spans of what others do, and does nothing of it. Let whoever does it call tracing().',
  },
  temporal: {
    knows: ['model', 'config', 'tracing'],
    instead:
      'temporal/ connects and runs what it is given. Pass activities and interceptors as arguments, from worker.ts.',
  },
  service: {
    knows: [
      ...['model', 'secrets', 'store', 'portal', 'config', 'contract', 'domain', 'temporal', 'starter.ts'],
    ],
    instead:
      'service/ is what one can ask of Portolan and tell it, whoever asks: it knows neither a terminal nor HTTP. Return a value, and let cli/ show it.',
  },
  client: {
    knows: ['model', 'secrets', 'config', 'contract', 'service', 'tracing'],
    instead:
      'client/ asks a server over HTTP and looks at nothing by itself: no store, no Temporal, no portal. Take the shape of an answer from service/.',
  },
  serve: {
    knows: ['model', 'store', 'config', 'contract', 'domain', 'temporal', 'service', 'tracing'],
    instead:
      'serve/ answers HTTP and decides nothing: take what is asked for from service/, as the command line does.',
  },
  'starter.ts': {
    knows: ['model', 'config', 'domain', 'temporal'],
    instead: 'starter.ts starts a workflow and knows no command. Take what is needed as an argument.',
  },
  'worker.ts': {
    knows: ['model', 'config', 'domain', 'activities', 'temporal', 'tracing'],
    instead: 'worker.ts puts a worker together and knows no command. Take what is needed as an argument.',
  },
  'reloading-worker.ts': {
    knows: ['model', 'config', 'temporal', 'worker.ts'],
    instead:
      'reloading-worker.ts replaces one worker by another. What a worker is made of belongs to worker.ts.',
  },
  cli: {
    knows: [
      ...[
        'model',
        'secrets',
        'store',
        'portal',
        'config',
        'contract',
        'domain',
        'temporal',
        'service',
        'client',
        'serve',
        'simulator',
        'tracing',
      ],
      ...['worker.ts', 'reloading-worker.ts'],
    ],
    instead:
      'cli/ asks workflows by their name and activities not at all. Move what both use to domain/, and its types to model/.',
  },
};

const unlisted = readdirSync('src').filter((name) => rooms[name] === undefined);
if (unlisted.length > 0) {
  throw new Error(
    `scripts/lint/rooms.mjs does not say what src/${unlisted[0]} may import. Add it to "rooms".`,
  );
}

/** The contexts of `src/service`, and which others each may import, besides what handlers work with. */
const services = {
  freeze: [],
  'portal-queue': [],
  run: ['portal-queue'],
  promotion: ['release', 'run'],
  release: ['run', 'snapshot'],
  snapshot: ['run'],
  start: ['promotion', 'run'],
  hook: ['run', 'start'],
  metrics: ['portal-queue', 'run', 'schedule'],
  schedule: ['portal-queue', 'run'],
  'sign-in': [],
  status: ['portal-queue', 'run', 'schedule'],
  support: ['run'],
  transfer: ['run'],
  portolan: [
    ...['freeze', 'portal-queue', 'hook', 'promotion', 'release', 'run', 'schedule', 'snapshot', 'start'],
    ...['status', 'transfer', 'local.ts'],
  ],
};

/** Zones for the rule `no-restricted-paths`: each is a target that must not import from somewhere. */
export const arrows = [
  ...Object.entries(rooms).map(([name, { knows, instead }]) => ({
    target: `src/${name}`,
    from: 'src',
    except: [name, ...knows].map((each) => `./${each}`),
    message: instead,
  })),
  ...Object.entries(services).map(([name, known]) => ({
    target: `src/service/${name}`,
    from: 'src/service',
    except: [name, ...known, 'context.ts', 'may.ts', 'pages.ts'].map((each) => `./${each}`),
    message: `service/${name}/ imports no other context of service/ than ${known.join(', ') || 'itself'}. Move what two of them share to service/run/.`,
  })),
  ...cliArrows,
];
