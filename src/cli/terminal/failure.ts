import type { PortolanError } from '../../model/errors/errors';
import type { Style } from './style';

/** An error as people see it: what was seen, the portal's own words, and what to do next. */
export function failureText(error: PortolanError, { colors }: Style): string {
  const { code, plainMessage, hint, facts } = error;
  const lines = [`${colors.red(`error ${code}`)}  ${plainMessage}`];
  if (facts.portalWords !== undefined) lines.push(`  the portal's words: "${facts.portalWords}"`);
  lines.push(`  ${hint}`);
  return lines.join('\n');
}

/** An error for programs. */
export const failureObject = (error: PortolanError): object => ({
  error: {
    kind: error.meaning.kind,
    code: error.code,
    message: error.plainMessage,
    hint: error.hint,
    portal: error.facts.portal,
    portalWords: error.facts.portalWords,
  },
});
