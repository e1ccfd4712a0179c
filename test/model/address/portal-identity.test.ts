import { describe, expect, it } from '@jest/globals';
import { isLoopback, isOneAddress, portalIdentity } from '../../../src/model/identity';

describe('two addresses of a portal', () => {
  const portal = 'https://gis.example.com/portal/sharing/rest';
  it.each([
    ['without /sharing/rest', 'https://gis.example.com/portal'],
    ['with /sharing alone', 'https://gis.example.com/portal/sharing'],
    ['with slashes at the end', `${portal}//`],
    ['in upper case', 'HTTPS://GIS.EXAMPLE.COM/PORTAL/SHARING/REST'],
    ['with the default port', 'https://gis.example.com:443/portal/sharing/rest'],
    ['over plain http', 'http://gis.example.com/portal/sharing/rest'],
    ['over plain http with its port', 'http://gis.example.com:80/portal/sharing/rest'],
    ['without a scheme', 'gis.example.com/portal'],
    ['with a dot at the end of the host', 'https://gis.example.com./portal/sharing/rest'],
  ])('are equal %s', (_how, address) => {
    expect(portalIdentity(address)).toBe('gis.example.com/portal');
    expect(isOneAddress(portal, address)).toBe(true);
  });

  it('are equal under each name of this machine', () => {
    expect(isOneAddress('http://127.0.0.1:4801/portal', 'https://localhost:4801/portal')).toBe(true);
    expect(isOneAddress('http://[::1]:4801/portal', 'http://dev.localhost:4801/portal')).toBe(true);
  });

  it.each([
    ['have two hosts', 'https://gis2.example.com/portal/sharing/rest'],
    ['have two ports', 'https://gis.example.com:7443/portal/sharing/rest'],
    ['have two web adaptors', 'https://gis.example.com/staging/sharing/rest'],
    ['have a web adaptor on one side only', 'https://gis.example.com/sharing/rest'],
  ])('differ if they %s', (_how, address) => {
    expect(isOneAddress(portal, address)).toBe(false);
  });

  it('differ if neither is an address', () => {
    expect(isOneAddress('', '')).toBe(false);
    expect(isOneAddress('not an address', 'not an address')).toBe(false);
  });
});

it.each(['localhost', 'LOCALHOST', 'localhost.', 'dev.localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]'])(
  'accepts %s as this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each([
  '',
  'gis.example.com',
  'localhost.example.com',
  '127.example.com',
  '127.0.0.1.example.com',
  '10.0.0.1',
])('accepts "%s" as another machine', (host) => {
  expect(isLoopback(host)).toBe(false);
});
