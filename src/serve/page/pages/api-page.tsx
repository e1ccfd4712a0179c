import { z } from 'zod';
import { operationsByTag } from '../../../contract/contract';
import type { Operation } from '../../../contract/operation';
import { tableOf } from '../../../model/text/sheet';
import { BlockPart } from '../parts/sheet';

/** Every operation of the API, with what it takes and answers. */
export const ApiPage = () => (
  <>
    <h1>API</h1>
    <p>
      Paths start with <code>/api/v1</code>. Send a key as <code>Authorization: Bearer KEY</code>. Generate a
      client from <a href="/api/v1/openapi.json">openapi.json</a>.
    </p>
    {Object.entries(operationsByTag).map(([tag, described]) => (
      <section id={tag}>
        <h2>{tag}</h2>
        {Object.entries<Operation>(described).map(([id, each]) => (
          <OperationPart id={id} operation={each} />
        ))}
      </section>
    ))}
  </>
);

const OperationPart = ({ id, operation }: { readonly id: string; readonly operation: Operation }) => {
  const { at, summary, description, right, input, answer } = operation;
  return (
    <article id={id}>
      <h3>
        <code>{at}</code>
      </h3>
      <p>
        {summary}. Needs the right <code>{right}</code>.
      </p>
      {description !== undefined && <p>{description}</p>}
      <Fields name={`Input of ${id}`} title="Takes" schema={z.toJSONSchema(input, { io: 'input' })} />
      <Fields name={`Answer of ${id}`} title="Answers" schema={z.toJSONSchema(answer)} />
    </article>
  );
};

type Described = z.core.JSONSchema.BaseSchema;

interface FieldsProps {
  readonly name: string;
  readonly title: string;
  readonly schema: Described;
}

const Fields = ({ name, title, schema }: FieldsProps) => {
  const { fields } = fieldsOf(schema);
  return (
    <BlockPart
      name={name}
      block={tableOf(fields, [
        [title, ({ name: field, isRequired }) => (isRequired ? field : `${field} (optional)`)],
        ['Type', ({ described }) => typeWords(described)],
        ['Meaning', ({ described }) => described.description],
      ])}
    />
  );
};

interface DescribedField {
  readonly name: string;
  readonly described: Described;
  readonly isRequired: boolean;
}

/** The fields of an object, of every shape it may have, or of what a list holds. */
export function fieldsOf({ $ref = '', $defs = {}, ...schema }: Described): {
  readonly isList: boolean;
  readonly fields: readonly DescribedField[];
} {
  const definition = $defs[$ref.replace('#/$defs/', '')] ?? schema;
  if (!isOne(definition)) return { isList: false, fields: [] };
  const { items, oneOf = [] } = definition;
  if (isOne(items)) return { fields: fieldsOf({ ...items, $defs }).fields, isList: true };
  const fields = new Map<string, DescribedField>();
  for (const { properties = {}, required = [] } of [definition, ...oneOf.filter(isOne)])
    for (const [name, described] of Object.entries(properties))
      if (isOne(described)) fields.set(name, { name, described, isRequired: required.includes(name) });
  return { isList: false, fields: [...fields.values()] };
}

function typeWords({ $ref, type, enum: values, items, anyOf, const: constant }: Described): string {
  if ($ref !== undefined) return $ref.replace('#/$defs/', '');
  if (values !== undefined) return values.map(String).join(' | ');
  if (constant !== undefined) return String(constant);
  if (anyOf !== undefined) return anyOf.filter(isOne).map(typeWords).join(' | ');
  return type === 'array' && isOne(items)
    ? `list of ${typeWords(items)}`
    : [type ?? 'any'].flat().join(' | ');
}

const isOne = (schema: unknown): schema is Described => typeof schema === 'object' && !Array.isArray(schema);
