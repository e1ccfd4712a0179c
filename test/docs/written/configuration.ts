import bytes from 'bytes';
import { z } from 'zod';
import { configFile } from '../../../src/config/file/schema';
import { serverFile } from '../../../src/config/file/server-schema';
import { limitsSection } from './limits';
import { table, writtenBy } from './table';

/** What the walk over the schema needs of JSON Schema, and what the schema says of itself besides. */
interface Schema {
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: Schema[];
  readonly items?: Schema;
  readonly type?: string;
  readonly enum?: unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  /** What is written there, where `type` does not say it. */
  readonly form?: string;
  /** What holds where it is not set, where `default` does not say it. */
  readonly unset?: string;
  /** When a change of it counts. */
  readonly effect?: string;
}

export interface ConfigKey {
  /** `NAME` stands for a name that people choose, `[]` for each of a list. */
  readonly key: string;
  readonly form: string;
  readonly words: readonly string[];
  readonly initial: string;
  readonly effect: string;
  readonly meaning: string;
}

interface Place {
  readonly path: readonly string[];
  readonly effect: string;
}

function placesOf(schema: Schema, place: Place): [string, Schema, string][] {
  const { properties, additionalProperties, oneOf, items } = schema;
  const { path, effect } = { ...place, effect: schema.effect ?? place.effect };
  if (oneOf !== undefined) return oneOf.flatMap((each) => placesOf(each, { path, effect }));
  if (properties !== undefined) {
    return Object.entries(properties).flatMap(([key, below]) =>
      placesOf(below, { path: [...path, key], effect }),
    );
  }
  if (typeof additionalProperties === 'object') {
    return placesOf(additionalProperties, { path: [...path, 'NAME'], effect });
  }
  if (items?.properties !== undefined) {
    return placesOf(items, { path: [...path.slice(0, -1), `${path.at(-1)}[]`], effect });
  }
  return [[path.join('.'), schema, effect]];
}

/** Every key of portolan.yaml; what stands at several places of a union is one key. */
export function configKeys(): ConfigKey[] {
  const schemas = [configFile, serverFile].map((file) => z.toJSONSchema(file, { io: 'input' }) as Schema);
  const found = new Map<string, { schemas: Schema[]; effect: string }>();
  const places = schemas.flatMap((schema) => placesOf(schema, { path: [], effect: '' }));
  for (const [key, each, effect] of places) {
    const known = found.get(key) ?? { schemas: [], effect };
    known.schemas.push(each);
    found.set(key, known);
  }
  return [...found].map(([key, { schemas, effect }]) => {
    const described = schemas.find(({ description }) => description !== undefined) ?? {};
    const words = schemas.flatMap((each) => each.enum ?? each.items?.enum ?? each.const ?? []).map(String);
    return {
      key,
      words,
      form: formOf(described, words),
      initial: initialOf(described),
      effect,
      meaning: described.description ?? '',
    };
  });
}

function formOf({ form, type, items }: Schema, words: readonly string[]): string {
  const quoted = words.map((word) => `\`${word}\``).join(', ');
  if (words.length > 0) return items === undefined ? quoted : `list of ${quoted}`;
  return form ?? (type === 'string' ? 'text' : (type ?? ''));
}

function initialOf({ unset, form, default: initial }: Schema): string {
  if (unset !== undefined) return unset;
  if (initial === undefined) return '';
  if (form === 'size') return `\`${bytes(Number(initial))}\``;
  if (form === 'colour') return `\`'${String(initial)}'\``;
  return `\`${typeof initial === 'string' ? initial : JSON.stringify(initial)}\``;
}

const sections: readonly (readonly [title: string, key: RegExp])[] = [
  ['Portals', /^portals\./],
  ['Routes', /^routes\./],
  ['Pipelines', /^pipelines\./],
  ['Schedules', /^schedules\./],
  ['Notifications', /^notify/],
  ['Hooks that come in', /^hooks\./],
  ['Store', /^store\./],
  ['Limits', /^limits\./],
  ['Temporal', /^temporal\./],
  ['Starts and answers', /^control\./],
  ['Metrics', /^metrics\./],
  ['Traces', /^tracing\./],
  ['Over HTTP', /^serve\./],
  ['A machine that asks a server', /^(server|insecure)$/],
];

function section(title: string, keys: readonly ConfigKey[]): string {
  const rows = keys.map(({ key, form, initial, effect, meaning }) => [
    `\`${key}\``,
    form,
    initial,
    effect,
    meaning,
  ]);
  return `## ${title}\n\n${table(['Key', 'Type', 'Default', 'Takes effect', 'What it is'], rows)}`;
}

export function configurationPage(): string {
  const keys = configKeys();
  const homeless = keys.find(({ key }) => !sections.some(([, pattern]) => pattern.test(key)));
  if (homeless) throw new Error(`${homeless.key} has no section: add one to "sections"`);
  return `# Configuration

${writtenBy('the schema of the configuration')}

\`portolan.yaml\` is checked as a whole when it is read, and all that is wrong is said in one message. A key that is not on this page is refused. Sizes are written as \`500MB\` or \`5GB\`, in powers of 1024; durations as \`90s\`, \`6h\`, \`7d\`. Relative paths start at the file's folder. An example in twelve lines is in [the README](../../README.md#your-own-portals).

Commands read the file each time; it is the one that \`--config FILE\` names, else \`PORTOLAN_CONFIG\`, else \`portolan.yaml\` in the working folder. Where it names a \`server\`, or \`PORTOLAN_SERVER\` does and no \`--config\`, commands [ask that server](../guide/access.md#remote-commands). A worker (\`up\` or \`worker\`) takes a changed file up within seconds, or at once on SIGHUP where it has no terminal: keys with _at once_ hold from then on, also for runs that are under way. A route is frozen into a run when the run starts: keys with _next run_ hold for the next. Those with _restart_ need the worker to be started again, and so do variables of its environment.

${sections
  .map(([title, pattern]) =>
    section(
      title,
      keys.filter(({ key }) => pattern.test(key)),
    ),
  )
  .join('\n\n')}

## Secrets

They never stand in the file. A secret is one of

    { env: NAME }                            an environment variable
    { file: PATH }                           a file
    { command: [PROGRAM, ARGUMENT, ...] }    what a program prints, within 30 s

and is read [where it is used](../guide/production.md#portals-and-accounts).

## Environment variables

\`PORTOLAN_CONFIG\` names the configuration, \`PORTOLAN_SERVER\` a server that is asked in its place, \`PORTOLAN_KEY\` the key for it or \`PORTOLAN_KEY_FILE\` a file with it, \`PORTOLAN_TEMPORAL_CLI\` the Temporal CLI; \`NO_COLOR\` turns colours off. Temporal's own (\`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\`, \`TEMPORAL_TLS\`, …, and its profile file) are taken as its own tools take them.

${limitsSection()}
`;
}
