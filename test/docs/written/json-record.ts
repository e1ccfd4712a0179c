import { z } from 'zod';
import { runRecord } from '../../../src/model/run/run';
import { table, writtenBy } from './table';

/** What the walk over the schema needs of JSON Schema. */
interface Schema {
  /** Several of what may be `null`. */
  readonly type?: string | string[];
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly items?: Schema;
  readonly anyOf?: Schema[];
  readonly enum?: unknown[];
  readonly const?: unknown;
  readonly description?: string;
}

export interface RecordField {
  /** `[]` stands for each of a list. */
  readonly path: string;
  readonly type: string;
  readonly isAlways: boolean;
  readonly meaning: string;
}

/** What a field is besides `null`, and besides the short form of a long list. */
const fullForm = (schema: Schema): Schema =>
  schema.anyOf?.find(({ type }) => type === 'array') ??
  schema.anyOf?.find(({ type }) => type !== 'null') ??
  schema;

function typeOf(schema: Schema): string {
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(', ');
  const full = fullForm(schema);
  if (full.type === 'array') return `list of ${plural(full.items ?? {})}`;
  return singular(full);
}

function singular({ type }: Schema): string {
  const name = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  return name === 'string' ? 'text' : (name ?? 'any value');
}

const plural = (each: Schema): string =>
  ({ text: 'texts', object: 'objects' })[singular(each)] ?? typeOf(each);

function below(schema: Schema, place: string): RecordField[] {
  const full = fullForm(schema);
  if (full.type === 'array') return below(full.items ?? {}, `${place}[]`);
  return Object.entries(full.properties ?? {}).flatMap(([name, field]) => {
    const path = place === '' ? name : `${place}.${name}`;
    const isAlways = full.required?.includes(name) ?? false;
    const meaning = field.description ?? '';
    return [{ path, type: typeOf(field), isAlways, meaning }, ...below(field, path)];
  });
}

/** Every field of a run's record, each before those that are below it. */
export const recordFields = (): RecordField[] => below(z.toJSONSchema(runRecord) as Schema, '');

export const jsonRecordPage = (): string => `# The record of a run

${writtenBy('the schema of the record')}

\`portolan run show RUN -o json\` prints the record of a run, and so do \`sync\`, \`restore\` and the other commands that start one, with \`-o json\`, when it ends or where they leave it. The store keeps it as \`content\` of \`runs/RUN/record.json\`, beside the mark of the store's key. Fields that are marked as _always_ there are in every record; all others where there is something to say.

${table(
  ['Field', 'Type', 'There', 'What it is'],
  recordFields().map(({ path, type, isAlways, meaning }) => [
    `\`${path}\``,
    type,
    isAlways ? 'always' : '',
    meaning,
  ]),
)}
`;
