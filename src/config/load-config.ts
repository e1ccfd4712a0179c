import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { PortolanError } from '../model/errors/errors';
import { type Config, configFile, locate } from './config';
import { crossProblems } from './cross-checks';
import { type KnownSettings, problemLines, problemText } from './problems';
import { yamlValue } from '../model/text/yaml';

/**
 * Reads the configuration: the named file, else `PORTOLAN_CONFIG`, else `portolan.yaml` of the working folder.
 * Throws `CONFIG_INVALID` with every problem in one message, each with its place. No secret is read here.
 */
export function loadConfig(named?: string): Config {
  if (named === undefined && process.env.PORTOLAN_SERVER) throw asksServer('PORTOLAN_SERVER');
  const { file, given } = readConfigFile(named);
  if (typeof given === 'object' && 'server' in given) throw asksServer(file);
  return configOf(file, given, (problems) => invalid(file, problems));
}

/** The configuration with this content. Throws what `refused` makes of its problems. */
export function configOf(
  file: string,
  given: object,
  refused: (problems: readonly string[]) => PortolanError,
): Config {
  const parsed = configFile.safeParse(given);
  const between = crossProblems(given, parsed.error?.issues ?? []);
  if (parsed.success && between.length === 0) return locate(file, parsed.data);
  const within = parsed.success ? [] : problemLines(parsed.error, 'the file', knownSettings);
  throw refused([...within, ...between]);
}

/** Path of the configuration: the named file, else `PORTOLAN_CONFIG`, else `portolan.yaml` in the working folder. */
export const configFileName = (named?: string): string =>
  path.resolve(named ?? (process.env.PORTOLAN_CONFIG || 'portolan.yaml'));

/** The parsed content of the configuration file. Throws `CONFIG_INVALID` if it cannot be read. */
export function readConfigFile(named?: string): { readonly file: string; readonly given: object } {
  const file = configFileName(named);
  return { file, given: readYaml(file) ?? {} };
}

const asksServer = (by: string): PortolanError =>
  new PortolanError('USAGE', `This command needs a worker's configuration, but ${by} names a server.`, {
    hint: "Run it on a worker's machine, or give a configuration: --config FILE",
  });

function readYaml(file: string): unknown {
  const lines = new LineCounter();
  // Pretty errors would quote the faulty line, which may hold a secret.
  const document = parseDocument(readText(file), { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ code, pos }) => {
      const { line, col } = lines.linePos(pos[0]);
      return `line ${line}, column ${col}: is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`;
    });
    throw invalid(file, problems);
  }
  const read = yamlValue(document);
  if ('problem' in read) throw invalid(file, [read.problem]);
  return read.value;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    throw new PortolanError(
      'CONFIG_INVALID',
      code === 'ENOENT' ? `No configuration at ${file}.` : `${file} cannot be read (${code}).`,
      {
        hint: 'Create one: portolan init. Or name one with --config FILE or PORTOLAN_CONFIG, or a server with PORTOLAN_SERVER. To try Portolan without one: portolan demo',
      },
    );
  }
}

const invalid = (file: string, problems: readonly string[]): PortolanError =>
  new PortolanError('CONFIG_INVALID', problemText(file, problems));

/** The parts of JSON Schema that are used here. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The settings allowed at a place of portolan.yaml; for a union, those of every variant. */
const knownSettings: KnownSettings = (path) => {
  const whole = z.toJSONSchema(configFile, { io: 'input' }) as Schema;
  const there = path.reduce<readonly Schema[]>(
    (schemas, key) => schemas.flatMap(kindsOf).flatMap((schema) => below(schema, key)),
    [whole],
  );
  return [...new Set(there.flatMap(kindsOf).flatMap(({ properties = {} }) => Object.keys(properties)))];
};

const kindsOf = (schema: Schema): readonly Schema[] => [
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  schema,
];

function below({ properties, additionalProperties, items }: Schema, key: PropertyKey): readonly Schema[] {
  if (typeof key === 'number') return items === undefined ? [] : [items];
  const named = Object.hasOwn(properties ?? {}, key) ? properties?.[String(key)] : undefined;
  if (named !== undefined) return [named];
  return typeof additionalProperties === 'object' ? [additionalProperties] : [];
}
