import { z } from 'zod';
import { runRecord } from '../../../src/model/run/run';
import { table, writtenBy } from './table';

/** The parts of JSON Schema that the walk reads. */
interface Schema {
  /** Several if `null` is one of them. */
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
  /** `[]` is an entry of a list, `*` each field right above with the same content. */
  readonly path: string;
  readonly type: string;
  readonly isAlways: boolean;
  readonly meaning: string;
}

/** The schema of a field without `null` and without the short form of a long list. */
const fullForm = (schema: Schema) =>
  schema.anyOf?.find(({ type }) => type === 'array') ??
  schema.anyOf?.find(({ type }) => type !== 'null') ??
  schema;

function typeOf(schema: Schema): string {
  const words = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(', ');
  const full = fullForm(schema);
  if (full.type === 'array') return plural(full.items ?? {});
  return singular(full);
}

function singular({ type }: Schema) {
  const name = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  return name === 'string' ? 'text' : (name ?? 'any value');
}

const plural = (each: Schema): string =>
  ({ text: 'texts', object: 'objects' })[singular(each)] ?? typeOf(each);

/** The fields of a schema, a name for each shape that neighbors share. */
function below(schema: Schema, place: string): RecordField[] {
  const full = fullForm(schema);
  if (full.type === 'array') return below(full.items ?? {}, `${place}[]`);
  const fields = Object.entries(full.properties ?? {});
  return fields.flatMap(([name, field], at) => {
    const path = place === '' ? name : `${place}.${name}`;
    const isAlways = full.required?.includes(name) ?? false;
    const own = { path, type: typeOf(field), isAlways, meaning: field.description ?? '' };
    const [before, after] = [fields[at - 1]?.[1], fields[at + 1]?.[1]];
    if (after !== undefined && hasSameShape(field, after)) return [own];
    const isShared = before !== undefined && hasSameShape(field, before);
    return [own, ...below(field, isShared ? path.replace(/[^.]+$/, '*') : path)];
  });
}

/** Whether the fields below one are those below the other. */
function hasSameShape(one: Schema, other: Schema): boolean {
  const [a, b] = [one, other].map((each) => below(each, ''));
  return a !== undefined && a.length > 0 && JSON.stringify(a) === JSON.stringify(b);
}

/** Rows of the table: neighbors of the same type that explain themselves share one. */
function rows(): [names: string, type: string, meaning: string][] {
  const found: { parent: string; names: string[]; type: string; meaning: string }[] = [];
  for (const { path, type, isAlways, meaning } of recordFields()) {
    const parent = path.slice(0, path.lastIndexOf('.') + 1);
    const mark = isAlways ? '' : '?';
    const last = found.at(-1);
    if (last && meaning === '' && last.meaning === '' && last.type === type && last.parent === parent)
      last.names.push(`.${path.slice(parent.length)}${mark}`);
    else found.push({ parent, names: [`${path}${mark}`], type, meaning });
  }
  return found.map(({ names, type, meaning }) => [
    names.map((name) => `\`${name}\``).join(', '),
    type === 'text' ? '' : type,
    meaning,
  ]);
}

/** Every field of a run's record, each before those below it. */
export const recordFields = (): RecordField[] => below(z.toJSONSchema(runRecord) as Schema, '');

export const jsonRecordPage = (): string => `# JSON record of a run

${writtenBy('the record schema')}

\`portolan run show RUN -o json\` prints the record of a run. With \`-o json\`, so do commands that start one, when they exit. The store keeps it signed, as \`content\` of \`runs/RUN/record.json\`.

\`?\` marks a field that can be absent, \`[]\` an entry of a list, \`*\` each field right above with the same content. Plural types are lists; fields without a type are text. In \`items\` and \`verification\`, lists of over 100 entries are \`{ count, ref }\`, with a store key.

${table(['Field', 'Type', 'Meaning'], rows())}
`;
