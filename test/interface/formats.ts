import { expect } from '@jest/globals';
import type { Row } from './row';
import type { Site, User } from './site';
import type { World } from './world';

/** A call of one operation that succeeds, by plain HTTP. */
export interface PlainCall {
  readonly site: Site;
  readonly user: User;
  /** Below the base URL. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

interface Operation {
  /** First part of the rows' ids. */
  readonly id: string;
  /** As statements call it. */
  readonly name: string;
  /** The simulator's name for it. */
  readonly route: string;
  readonly call: (world: World) => Promise<PlainCall>;
}

/** Rows about `f`, which every operation takes. */
export const formatRows = ({ id, name, route, call }: Operation): Row[] => [
  ...(['html', 'json', 'pjson'] as const).map((f) => ({
    id: `${id}.f.${f}`,
    statement: `${name}: \`f=${f}\` is answered ${answers[f]}.`,
    wire: { operation: route, params: { f } },
    check: async (world: World) => expectFormat(await plain(await call(world), { f }), f),
  })),
  {
    id: `${id}.f.default`,
    statement: `${name}: where \`f\` is not sent, it is \`html\`.`,
    wire: { operation: route, without: ['f'] },
    check: async (world: World) => expectFormat(await plain(await call(world), {}), 'html'),
  },
];

const answers = {
  html: 'with a page',
  json: 'with JSON in one line',
  pjson: 'with JSON in many lines',
} as const;

async function plain(
  { site, user, path, params }: PlainCall,
  format: Readonly<Record<string, string>>,
): Promise<Response> {
  const client = await site.raw(user);
  return client.post(path, new URLSearchParams({ ...params, ...format }));
}

async function expectFormat(response: Response, f: keyof typeof answers): Promise<void> {
  const text = (await response.text()).trim();
  expect(response.headers.get('content-type')).toMatch(f === 'html' ? /^text\/html/ : /json|text\/plain/);
  if (f === 'html') {
    expect(text).toMatch(/^<!DOCTYPE html>/);
    return;
  }
  expect(JSON.parse(text)).not.toHaveProperty('error');
  expect(text.split('\n').length > 1).toBe(f === 'pjson');
}
