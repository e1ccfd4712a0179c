import { z } from 'zod';
import { configFile } from './config';
import type { KnownSettings } from './problems';

/** The parts of JSON Schema that are used here. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The settings allowed at a place of portolan.yaml; for a union, those of every variant. */
export const knownSettings: KnownSettings = (path) => {
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
