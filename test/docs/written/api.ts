import { z } from 'zod';
import { operationsByTag } from '../../../src/contract/contract';
import type { Operation } from '../../../src/contract/operation';
import { fieldsOf } from '../../../src/serve/page/pages/api-page';
import { table, writtenBy } from './table';

export const apiPage = (): string => `# HTTP API

${writtenBy('the contract of operations')}

Paths start with \`/api/v1\`. \`?\` marks what is optional. For keys, rights and errors see [access](../guide/access.md); for types and meanings, \`/api\` of your server or its \`/api/v1/openapi.json\`.

${Object.entries(operationsByTag).map(tagPart).join('\n\n')}
`;

const tagPart = ([tag, operations]: [string, Readonly<Record<string, Operation>>]) =>
  `## ${tag.charAt(0).toUpperCase()}${tag.slice(1)}\n\n${table(
    ['Operation', 'ID', 'Right', 'Takes', 'Answers'],
    Object.entries(operations).map(([id, { at, right, input, answer }]) => [
      `\`${at}\``,
      `\`${id}\``,
      right,
      namesOf(z.toJSONSchema(input, { io: 'input' })),
      namesOf(z.toJSONSchema(answer)),
    ]),
  )}`;

/** Names of fields, also of those that a list holds. */
function namesOf(schema: z.core.JSONSchema.BaseSchema) {
  const { isList, fields } = fieldsOf(schema);
  const names = fields.map(({ name, isRequired }) => `\`${name}\`${isRequired ? '' : '?'}`).join(', ');
  return `${isList ? 'list: ' : ''}${names}`;
}
