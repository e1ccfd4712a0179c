import { describe, expect, it } from '@jest/globals';
import { atLeast, compareReleases, releaseFrom, releaseOf } from '../../../src/portal/http/versions';

describe('the release of a portal', () => {
  it.each([
    [{ enterpriseVersion: '11.3', currentVersion: '2024.1' }, '11.3'],
    [{ enterpriseVersion: '12.0.0', currentVersion: '2026.1' }, '12.0'],
    [{ enterpriseVersion: '10.9.1' }, '10.9.1'],
    [{ enterpriseVersion: null, currentVersion: '8.2' }, '10.8.1'],
    [{ currentVersion: 8.4 }, '10.9'],
    [{ currentVersion: '10.1' }, '11.0'],
    [{ currentVersion: '10.3' }, '11.1'],
    [{ currentVersion: '2023.2' }, '11.2'],
    [{ currentVersion: '2025.1' }, '11.5'],
    // Releases after 11.5 as the Python client 2.4.4 tells them apart; 12.1 is inferred
    [{ currentVersion: '2025.2' }, '12.0'],
    [{ currentVersion: '2026.1' }, '12.1'],
    [{ currentVersion: '2026.2' }, '12.2'],
    [{ currentVersion: '7.3' }, '10.8'],
    [{ currentVersion: '2024.3' }, '11.4'],
    [{ currentVersion: '11.4' }, '11.4'],
  ])('is read from %j as %s', (marks, release) => {
    expect(releaseOf(marks)?.text).toBe(release);
  });

  it('is the last known or later for a higher number', () => {
    expect(releaseOf({ currentVersion: '2027.1' })).toEqual({
      major: 12,
      minor: 2,
      patch: 0,
      text: '12.2 or later',
      orLater: true,
    });
    expect(releaseOf({ currentVersion: '2025.1' })?.orLater).toBeUndefined();
  });

  it.each([{}, { currentVersion: null }, { currentVersion: 'soon' }])('is unknown from %j', (marks) => {
    expect(releaseOf(marks)).toBeUndefined();
  });

  it.each([
    ['11.1.0', '11.1'],
    ['10.8.1', '10.8.1'],
    ['10.3', '10.3'],
    ['2023.2', '11.2'],
    ['8.2', '10.8.1'],
  ])('is read from the package version %s as %s', (said, release) => {
    expect(releaseFrom(said)?.text).toBe(release);
  });

  it('is ordered part by part, never as text or fraction', () => {
    const order = ['10.8', '10.8.1', '10.9', '10.9.1', '11.0', '11.2', '11.10', '12.0'];
    const shuffled = [...order].reverse().flatMap((text) => releaseFrom(text) ?? []);
    expect(shuffled.sort(compareReleases).map((release) => release.text)).toEqual(order);
  });

  it('counts as 10.8.1 when it is unknown', () => {
    expect(atLeast(undefined, '10.8.1')).toBe(true);
    expect(atLeast(undefined, '10.9')).toBe(false);
    expect(atLeast(releaseFrom('11.10'), '11.3')).toBe(true);
  });
});
