import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import lock from '../../package-lock.json';

const entry = z.looseObject({
  integrity: z.string().optional(),
  optional: z.boolean().default(false),
  os: z.array(z.string()).default([]),
});

/** Compiled parts of a compiler and of a resolver, each for one kind of machine, which npm takes there alone. */
const ofOneMachine = /^node_modules\/(@swc\/core|@unrs\/resolver-binding)-/;

describe('package-lock.json', () => {
  const { '': _project, ...packages } = z.record(z.string(), entry).parse(lock.packages);
  const entries = Object.entries(packages);

  it('has a checksum for each package except binaries of other platforms [P28]', () => {
    const bare = entries.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''));
    const odd = bare.filter(
      ([name, { optional, os }]) => !optional || os.length === 0 || !ofOneMachine.test(name),
    );
    expect(odd.map(([name]) => name)).toEqual([]);
    expect(entries.length).toBeGreaterThan(300);
  });
});
