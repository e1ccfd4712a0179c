import { z } from 'zod';
import { type ErrorCode, errorTable, exitStatus } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';

/** Codes of refusals by the server itself, besides those that every command knows. */
const refusalCodes = [
  'CROSS_SITE',
  'METHOD_NOT_ALLOWED',
  'PERSON_REFUSED',
  'SESSION_OVER',
  'SIGNATURE_REFUSED',
  'SIGN_IN_OVER',
  'TOO_MANY',
  'WRONG_HOST',
] as const;
type ProblemCode = ErrorCode | (typeof refusalCodes)[number];
const codes = [...(Object.keys(errorTable) as ErrorCode[]), ...refusalCodes] as const;

/** What is wrong with one value of a request. */
const invalidValue = z.object({
  in: z.enum(['body', 'headers', 'params', 'querystring']),
  pointer: z.string().describe('JSON pointer to the value'),
  detail: z.string(),
});

/** An error in the format of RFC 9457. @see https://www.rfc-editor.org/rfc/rfc9457 */
export const problem = z
  .object({
    type: z.string().describe('`urn:portolan:error:` followed by the code'),
    title: z.enum(codes).describe('error code'),
    status: z.number().describe('HTTP status'),
    detail: z.string().describe('what happened'),
    hint: z.string().describe('what to do next'),
    portal: z.string().optional().describe('name of the portal concerned'),
    portalWords: z.string().optional().describe('portal message'),
    errors: z.array(invalidValue).readonly().optional().describe('each invalid value of the request'),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;

export const PROBLEM_TYPE = 'application/problem+json';

/** A request refused by the server itself, such as an invalid or unauthorized one. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: ProblemCode,
    readonly detail: string,
    readonly hint: string,
    readonly errors?: Problem['errors'],
  ) {
    super(detail);
  }
}

/** Describes any error. Details of unexpected ones stay in the server's log. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refusal) {
    const { status, title, detail, hint, errors } = thrown;
    return { type: typeOf(title), title, status, detail, hint, errors };
  }
  const { code, plainMessage, hint, facts } = PortolanError.from(thrown);
  const isOwnError = thrown instanceof PortolanError && code !== 'INTERNAL';
  return {
    type: typeOf(code),
    title: code,
    status: statusOf(PortolanError.from(thrown)),
    detail: isOwnError ? plainMessage : 'Unexpected error.',
    hint: isOwnError ? hint : "See the server's log.",
    portal: facts.portal,
    portalWords: facts.portalWords,
  };
}

const typeOf = (title: string): string => `urn:portolan:error:${title}`;

/** The HTTP status that matches the exit status of a command. */
function statusOf({ code, meaning }: PortolanError): number {
  switch (meaning.exit) {
    case exitStatus.done:
    case exitStatus.usage:
      return 400;
    case exitStatus.notFound:
      return 404;
    case exitStatus.denied:
      return 403;
    case exitStatus.noTemporal:
      return 503;
    default:
      if (code === 'INTERNAL') return 500;
      return meaning.kind === 'transient' ? 503 : 409;
  }
}
