import { describe, expect, it } from '@jest/globals';
import { childEnvironment } from '../../../src/temporal/dev-server/temporal-cli';

const ours = {
  PATH: '/bin',
  HOME: '/home/gis',
  GOGC: '400',
  GOPROXY: 'https://proxy.example.com',
  HTTPS_PROXY: 'http://proxy.example.com:3128',
  STAGING_PASSWORD: 'planted',
  TEMPORAL_API_KEY: 'planted',
  PORTOLAN_STORE_KEY: 'planted',
  GOOGLE_API_KEY: 'planted',
  AWS_SECRET_ACCESS_KEY: 'planted',
  NODE_OPTIONS: '--planted',
  LD_PRELOAD: 'planted',
};

describe('the environment of a child process', () => {
  it.each([
    ['server', ['PATH', 'HOME', 'GOGC']],
    ['build', ['PATH', 'HOME', 'GOGC', 'HTTPS_PROXY', 'GOPROXY']],
    ['look', ['PATH', 'HOME']],
  ] as const)('of the kind "%s" has %j and no secret', (purpose, expected) => {
    const passed = childEnvironment(purpose, ours);
    expect(Object.keys(passed).sort()).toEqual([...expected].sort());
    expect(Object.values(passed).join()).not.toContain('planted');
  });
});
