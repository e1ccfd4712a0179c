import { z } from 'zod';
import { operationsByTag } from '../../../src/contract/contract';
import type { Operation } from '../../../src/contract/operation';
import { table, writtenBy } from './table';

export const apiPage = (): string => `# HTTP API

${writtenBy('the contract of operations')}

Paths start with \`/api/v1\`. \`?\` marks what is optional. For keys, rights and errors see [access](../guide/access.md); for types and meanings, \`/api\` of your server or its \`/api/v1/openapi.json\`.

${Object.entries(operationsByTag).map(tagPart).join('\n\n')}
`;

const tagPart = ([tag, operations]: [string, Readonly<Record<string, Operation>>]): string =>
  `## ${tag.charAt(0).toUpperCase()}${tag.slice(1)}\n\n${table(
    ['Operation', 'ID', 'Right', 'Takes', 'Answers'],
    Object.entries(operations).map(([id, { at, right, input, answer }]) => [
      `\`${at}\``,
      `\`${id}\``,
      right,
      fieldsOf(z.toJSONSchema(input, { io: 'input' })),
      fieldsOf(z.toJSONSchema(answer)),
    ]),
  )}`;

/** Names of fields, also of those that a list holds. */
function fieldsOf({ $ref = '', $defs = {}, ...schema }: z.core.JSONSchema.BaseSchema): string {
  const definition = $defs[$ref.replace('#/$defs/', '')] ?? schema;
  if (typeof definition !== 'object') return '';
  const { items, properties = {}, required = [], oneOf = [] } = definition;
  if (typeof items === 'object' && !Array.isArray(items)) return `list: ${fieldsOf({ ...items, $defs })}`;
  const shapes = [{ properties, required }, ...oneOf.filter((each) => typeof each === 'object')];
  const names = new Map(
    shapes.flatMap((each) =>
      Object.keys(each.properties ?? {}).map((name) => [name, each.required?.includes(name)] as const),
    ),
  );
  return [...names].map(([name, isRequired]) => `\`${name}\`${isRequired ? '' : '?'}`).join(', ');
}
