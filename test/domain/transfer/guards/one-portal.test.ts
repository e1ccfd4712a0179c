import { describe, expect, it } from '@jest/globals';
import { twoPortals } from '../../../../src/domain/transfer/guards/portal';
import { facts } from '../facts';

const refused = (saw: string) => ({
  name: 'two portals',
  verdict: 'refuse',
  saw,
  needs: 'two different portals; items keep their IDs',
  todo: 'Choose another portal for one end of the route.',
  code: 'SAME_PORTAL',
});

describe('the guard of the two ends', () => {
  it('passes two portals although both carry the id that most portals carry', () => {
    expect(twoPortals(facts('staging'), facts('production'))).toEqual({
      name: 'two portals',
      verdict: 'pass',
      saw: 'staging and production',
    });
  });

  it.each([
    'https://staging.example.com/portal/sharing/rest',
    'https://STAGING.example.com:443/Portal/sharing/rest/',
    'http://staging.example.com:80/portal/sharing/rest',
  ])('refuses one place under two names: %s', (url) => {
    expect(twoPortals(facts('staging'), facts('production', { url, hostname: undefined }))).toEqual(
      refused('staging and production both lead to staging.example.com/portal'),
    );
  });

  it('refuses one place that is an alias on one side', () => {
    const target = facts('production', {
      aliases: ['https://staging.example.com/portal'],
      hostname: undefined,
    });
    expect(twoPortals(facts('staging'), target).code).toBe('SAME_PORTAL');
  });

  it('refuses one port of this machine, however the machine is called', () => {
    const url = (host: string) => `http://${host}:4801/portal/sharing/rest`;
    const source = facts('staging', { url: url('127.0.0.1'), hostname: undefined });
    expect(twoPortals(source, facts('production', { url: url('localhost'), hostname: undefined })).code).toBe(
      'SAME_PORTAL',
    );
    expect(
      twoPortals(source, facts('production', { url: url('localhost').replace('4801', '4802') })).verdict,
    ).toBe('pass');
  });

  it('refuses two addresses behind which one portal calls itself by one name', () => {
    const target = facts('production', { hostname: 'staging.example.com/portal' });
    expect(twoPortals(facts('staging'), target)).toEqual(
      refused('staging and production both report the address staging.example.com/portal'),
    );
    expect(twoPortals(facts('staging'), { ...target, portalId: 'another' }).verdict).toBe('pass');
  });

  it('passes two portals of one machine that know only the name of the machine', () => {
    const source = facts('staging', {
      url: 'https://gis.example.com/staging/sharing/rest',
      hostname: 'gis.example.com',
    });
    const target = facts('production', {
      url: 'https://gis.example.com/production/sharing/rest',
      hostname: 'gis.example.com',
    });
    expect(twoPortals(source, target).verdict).toBe('pass');
  });
});
