import { existsSync } from 'node:fs';
import { Document, isMap, visit } from 'yaml';
import type { Config } from '../../config/config';
import { configFileName, configOf } from '../../config/load-config';
import { portalUrlProblem } from '../../config/url-problem';
import { isLoopback, withoutTrailingSlashes } from '../../model/identity';
import { problemText } from '../../config/problems';
import { PortolanError } from '../../model/errors/errors';
import { oneLine } from '../../model/text/plain-text';
import type { Side } from '../../model/transfer/guard-steps';
import type { SecretReference } from '../../secrets/secret';

/** Values this deep in the file are written on one line. */
const ON_ONE_LINE = 3;

/** One end of the first route in portolan.yaml. */
export interface NewEnd {
  readonly portal: string;
  /** Ends in `/sharing/rest`. */
  readonly url: string;
  readonly username: string;
  readonly password: Exclude<SecretReference, { text: string }>;
  readonly group?: { readonly id: string; readonly title?: string };
}

/** The path of the new file. Throws `USAGE` if it exists, unless it may be overwritten. */
export function newConfigFile(named: string | undefined, mayReplace: boolean): string {
  const file = configFileName(named);
  if (existsSync(file) && !mayReplace)
    throw new PortolanError('USAGE', `${file} already exists and was not changed.`, {
      hint: 'Choose another file with --config FILE, or overwrite this one with --force.',
    });
  return file;
}

/** Normalizes a portal URL, with or without `/sharing/rest`. Throws `USAGE` with the problem. */
export function portalAddress(text: string): string {
  const typed = withoutTrailingSlashes(text.trim());
  const url = /^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`;
  const whole = url.endsWith('/sharing/rest') ? url : `${url.replace(/\/home$/, '')}/sharing/rest`;
  const problem = portalUrlProblem(whole);
  if (problem === undefined) return whole;
  throw new PortolanError('USAGE', `"${oneLine(text)}" ${problem}.`, {
    hint: 'Write the URL you open the portal with, such as https://HOST/portal',
  });
}

/** A portal name from its URL: the first label of the host, unless that is generic. */
export function portalName(url: string, otherwise: string): string {
  const { hostname } = new URL(url);
  const [word = ''] = hostname.split('.');
  return isLoopback(hostname) || /^\d/.test(hostname) || !/^[a-z][a-z0-9-]*$/i.test(word) ? otherwise : word;
}

/** The environment variable for a portal's password. */
export const passwordVariable = (portal: string): string =>
  `${portal.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_PASSWORD`;

/** The configuration of these ends, for signing in before anything is written. Throws `USAGE`. */
export const newConfig = (file: string, ends: readonly NewEnd[]): Config =>
  configOf(
    file,
    { portals: portalsOf(ends) },
    (problems) =>
      new PortolanError('USAGE', problemText('What would be written', problems), {
        hint: 'Start again: portolan init',
      }),
  );

/** The text of the file. */
export function configText(route: string, { source, target }: Readonly<Record<Side, NewEnd>>): string {
  const endOf = ({ portal, group }: NewEnd) => ({ portal, group: group?.id });
  const document = new Document(
    {
      portals: portalsOf([source, target]),
      routes: { [route]: { source: endOf(source), target: endOf(target), overwrite: false } },
    },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = ' All keys and their defaults: docs/reference/configuration.md';
  // What a portal signs in with, and each end of the route, on one line.
  visit(document, {
    Map: (_key, map, path) => {
      if (path.filter(isMap).length >= ON_ONE_LINE) map.flow = true;
    },
  });
  for (const [side, { group }] of Object.entries({ source, target })) {
    const end = document.getIn(['routes', route, side]);
    if (isMap(end) && group?.title !== undefined) end.comment = ` ${oneLine(group.title)}`;
  }
  return document.toString({ lineWidth: 0 });
}

const portalsOf = (ends: readonly NewEnd[]): object =>
  Object.fromEntries(
    ends.map(({ portal, url, username, password }) => [
      portal,
      { url, auth: { type: 'password', username, password } },
    ]),
  );
