import { z } from 'zod';
import { exitStatus } from '../model/errors/error-codes';
import { PortolanError } from '../model/errors/errors';

/** An error in the format of RFC 9457. @see https://www.rfc-editor.org/rfc/rfc9457 */
export const problem = z
  .object({
    type: z.string().describe('`urn:portolan:error:` followed by the code'),
    title: z.string().describe('error code'),
    status: z.number().describe('HTTP status'),
    detail: z.string().describe('what happened'),
    hint: z.string().describe('what to do next'),
    portal: z.string().optional().describe('name of the portal concerned'),
    portalWords: z.string().optional().describe('portal message'),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problem>;

export const PROBLEM_TYPE = 'application/problem+json';

/** A request refused by the server itself, such as an invalid or unauthorized one. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly hint: string,
  ) {
    super(detail);
  }
}

/** Describes any error. Details of unexpected ones stay in the server's log. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refusal) {
    const { status, title, detail, hint } = thrown;
    return { type: typeOf(title), title, status, detail, hint };
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
