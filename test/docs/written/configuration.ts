import bytes from 'bytes';
import { z } from 'zod';
import { configFile } from '../../../src/config/config';
import { serverFile } from '../../../src/client/server-address';
import { limitsSection } from './limits';
import { table, writtenBy } from './table';

/** The parts of JSON Schema that the walk reads, and our own metadata. */
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
  /** Type for people, if `type` is not enough. */
  readonly form?: string;
  /** Effect of leaving the key out, if `default` does not say it. */
  readonly unset?: string;
  /** When a change takes effect. */
  readonly effect?: string;
}

export interface ConfigKey {
  /** `NAME` is a name that people choose, `[]` an entry of a list. */
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

/** Every key of portolan.yaml; variants of a union share a key. */
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

function formOf({ form, type, items }: Schema, words: readonly string[]) {
  const quoted = words.map((word) => `\`${word}\``).join(', ');
  if (words.length > 0) return items === undefined ? quoted : `list of ${quoted}`;
  return form ?? (type === 'string' ? 'text' : (type ?? ''));
}

function initialOf({ unset, form, default: initial }: Schema) {
  if (unset !== undefined) return unset;
  if (initial === undefined) return '';
  if (form === 'size') return `\`${bytes(Number(initial))}\``;
  if (form === 'color') return `\`'${String(initial)}'\``;
  return `\`${typeof initial === 'string' ? initial : JSON.stringify(initial)}\``;
}

const sections: readonly (readonly [title: string, key: RegExp])[] = [
  ['Portals', /^portals\.NAME\.(?!protect\.)/],
  ['Rules', /^portals\.NAME\.protect\./],
  ['Routes', /^routes\./],
  ['Pipelines', /^pipelines\./],
  ['Schedules', /^schedules\./],
  ['Notifications', /^notify/],
  ['Hooks', /^hooks\./],
  ['Store', /^store\./],
  ['Portal limits', /^limits\./],
  ['Temporal', /^temporal\./],
  ['Starts and decisions', /^control\./],
  ['Metrics', /^metrics\./],
  ['Server', /^serve\./],
  ['Remote server', /^(server|insecure)$/],
];

/** A default that shows its own type replaces it; the default of a choice is bold. */
function formAndDefault({ form, words, initial }: ConfigKey) {
  const isLiteral = /^`[^`[]+`$/.test(initial);
  if (isLiteral && words.length > 0) return form.replace(initial, `**${initial}**`);
  if (isLiteral) return initial;
  return initial === '' || initial === '`[]`' ? form : `${form}; ${initial}`;
}

/** `checks` for `pipelines.NAME.stages.NAME.checks[].url`. */
const parentOf = (key: string) => key.split('.').at(-2)?.replace('[]', '') ?? key;

function section(title: string, keys: readonly ConfigKey[]) {
  const usual = keys[0]?.effect ?? '';
  const rows = keys.map((each) => [`\`${each.key}\``, formAndDefault(each), each.meaning]);
  const others = keys
    .filter(({ effect }) => effect !== usual)
    .map(({ key, effect }) => `; \`${parentOf(key)}\`: _${effect}_`);
  return `## ${title}\n\nTakes effect: _${usual}_${[...new Set(others)].join('')}.\n\n${table(['Key', 'Type; default', 'Meaning'], rows)}`;
}

export function configurationPage(): string {
  const keys = configKeys();
  const homeless = keys.find(({ key }) => !sections.some(([, pattern]) => pattern.test(key)));
  if (homeless) throw new Error(`${homeless.key} has no section: add one to "sections"`);
  return `# Configuration

${writtenBy('the configuration schema')}

Commands read the file named by \`--config FILE\`, else \`PORTOLAN_CONFIG\`, else \`portolan.yaml\` in the working folder. If the file sets \`server\`, or if \`PORTOLAN_SERVER\` is set and \`--config\` is not, commands [run at that server](../guide/access.md) instead.

Unknown keys are errors. One message lists all errors. Sizes look like \`500MB\` or \`5GB\` (powers of 1024), durations like \`90s\`, \`6h\` or \`7d\`. Plural types are lists; the bold choice is the default. Relative paths start at the folder of the file.

Changes take effect:

- _at once_: workers reread the file within seconds, or on SIGHUP without a terminal. Also for open runs.
- _next run_: a run keeps the route it started with.
- _restart_: restart the worker or server. Also needed for its environment variables.
- _schedule apply_: run \`portolan schedule apply\`.

${sections
  .map(([title, pattern]) =>
    section(
      title,
      keys.filter(({ key }) => pattern.test(key)),
    ),
  )
  .join('\n\n')}

## Secrets

Secrets are not allowed in the file. Reference one as

    { env: NAME }                            environment variable
    { file: PATH }                           file
    { command: [PROGRAM, ARGUMENT, ...] }    output of a program, within 30 s

Only the process that uses a secret [reads it](../guide/production.md).

## Environment variables

| Variable | Meaning |
| --- | --- |
| \`PORTOLAN_CONFIG\` | configuration file |
| \`PORTOLAN_SERVER\` | server to use instead of a configuration file |
| \`PORTOLAN_KEY\`, \`PORTOLAN_KEY_FILE\` | key for the server, or a file with it |
| \`PORTOLAN_TEMPORAL_CLI\` | path of the Temporal CLI |
| \`NO_COLOR\` | turns colors off |
| \`TEMPORAL_ADDRESS\`, \`TEMPORAL_NAMESPACE\`, \`TEMPORAL_API_KEY\`, \`TEMPORAL_TLS\`, … | as in Temporal's own tools, which also read a profile file |

${limitsSection()}
`;
}
