import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@jest/globals';
import { stringify } from 'yaml';
import type { Config } from '../../src/config/config';
import { loadConfig } from '../../src/config/load-config';
import { PortolanError } from '../../src/model/errors/errors';
import { aFolder } from './folder';

/** A portal of portolan.yaml, whose token nobody asks for. */
export const aPortal = (host: string, more: object = {}) => ({
  url: `https://${host}.example.com/portal/sharing/rest`,
  auth: { type: 'token', token: { env: 'NOBODY' } },
  ...more,
});

/** The configuration of a portolan.yaml that says this. */
export function aConfig(content: string | object, folder = aFolder()): Config {
  const file = path.join(folder, 'portolan.yaml');
  writeFileSync(file, typeof content === 'string' ? content : stringify(content));
  return loadConfig(file);
}

/** The message that refuses such a file, which is FILE in it. */
export function problemsOf(content: string | object): string {
  const folder = aFolder();
  try {
    aConfig(content, folder);
  } catch (thrown) {
    const error = PortolanError.from(thrown);
    expect([error.code, error.meaning.exit]).toEqual(['CONFIG_INVALID', 2]);
    return error.plainMessage.replace(path.join(folder, 'portolan.yaml'), 'FILE');
  }
  throw new Error('the configuration was accepted');
}
