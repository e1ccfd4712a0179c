import { describe, expect, it } from '@jest/globals';
import {
  newEnough,
  packable,
  releaseOrder,
  selfManaged,
  writable,
} from '../../../../src/domain/transfer/guards/portal';
import { facts } from '../facts';

describe('guards of a portal', () => {
  it('pass a self-managed portal and refuse the hosted deployment', () => {
    expect(selfManaged(facts('staging'))).toEqual({
      name: 'deployment of staging',
      verdict: 'pass',
      saw: 'self-managed',
    });
    expect(selfManaged(facts('staging', { isPortal: false }))).toEqual({
      name: 'deployment of staging',
      verdict: 'refuse',
      saw: 'staging is ArcGIS Online',
      needs: 'ArcGIS Enterprise',
      todo: 'Use an ArcGIS Enterprise portal in the route; ArcGIS Online cannot export or import groups.',
      code: 'NOT_SELF_MANAGED',
    });
    expect(selfManaged(facts('staging', { isPortal: undefined })).verdict).toBe('unknown');
  });

  it.each([
    ['10.8', 'refuse'],
    ['10.7.1', 'refuse'],
    ['10.8.1', 'pass'],
    ['10.9', 'pass'],
    ['11.0', 'pass'],
    ['12.0.0', 'pass'],
  ])('take release %s as: %s', (runs, verdict) => {
    expect(newEnough(facts('staging', { runs })).verdict).toBe(verdict);
  });

  it('say what an old portal runs and what it needs', () => {
    expect(newEnough(facts('staging', { runs: '10.8' }))).toEqual({
      name: 'version of staging',
      verdict: 'refuse',
      saw: 'staging runs 10.8',
      needs: '10.8.1 or later',
      todo: 'Upgrade staging; older portals cannot export or import groups.',
      code: 'VERSION_TOO_OLD',
    });
  });

  it('never pass a portal that tells no version [P21]', () => {
    const silent = facts('staging', { release: undefined, version: '' });
    expect(newEnough(silent)).toMatchObject({ verdict: 'unknown', saw: 'staging reports no version' });
    expect(releaseOrder(silent, facts('production'))).toMatchObject({
      verdict: 'unknown',
      saw: 'staging ?, production 11.4',
    });
  });

  it.each([
    ['11.2', '11.4', 'pass'],
    ['11.4', '11.4', 'pass'],
    ['10.9.1', '11.0', 'pass'],
    ['11.4', '11.3', 'refuse'],
    ['10.9.1', '10.9', 'refuse'],
    ['12.0', '11.5', 'refuse'],
    // The source tells the interface's number, the target the release's.
    ['2023.2', '11.2.0', 'pass'],
    ['2024.1', '11.2.0', 'refuse'],
    // From 11 on the third number is a patch, which the interface's number does not tell.
    ['11.3.1', '2024.1', 'pass'],
    ['11.3.1', '11.3', 'pass'],
    ['11.3.2', '11.3.1', 'refuse'],
    ['11.4.1', '11.3', 'refuse'],
    // Above the last number that is known nobody can say how far.
    ['12.3', '2027.1', 'unknown'],
    ['2027.1', '12.2', 'unknown'],
    ['2027.1', '12.3', 'unknown'],
    ['2027.1', '2027.1', 'pass'],
    ['2027.1', '12.1', 'refuse'],
    ['12.2', '2027.1', 'pass'],
    ['2026.2', '12.2', 'pass'],
    ['2026.2', '12.0', 'refuse'],
  ])('order a source at %s and a target at %s: %s', (source, target, verdict) => {
    const result = releaseOrder(facts('staging', { runs: source }), facts('production', { runs: target }));
    expect(result.verdict).toBe(verdict);
    if (verdict === 'refuse') expect(result.code).toBe('TARGET_OLDER');
  });

  it.each([
    // 2027.1 is above all numbers that are known: 12.2 or anything later.
    ['12.3', '2027.1', 'unknown'],
    ['12.2', '2027.1', 'pass'],
    ['2027.1', '2027.1', 'pass'],
    ['2027.1', '2027.2', 'unknown'],
    ['2027.1', '12.3', 'unknown'],
    ['2027.1', '12.1', 'refuse'],
  ])(
    'order a source at %s and a target at %s, one of them of an unknown release: %s',
    (from, to, verdict) => {
      const result = releaseOrder(facts('staging', { runs: from }), facts('production', { runs: to }));
      expect(result.verdict).toBe(verdict);
    },
  );

  it('warn of a read-only source, whose package could not be made', () => {
    expect(packable(facts('staging'))).toEqual({
      name: 'writing to staging',
      verdict: 'pass',
      saw: 'not read-only',
    });
    expect(packable(facts('staging', { readOnly: true }))).toEqual({
      name: 'writing to staging',
      verdict: 'unknown',
      saw: 'staging is read-only, but an export creates its package there as an item',
      needs: 'a portal that accepts changes',
      todo: 'If the export fails, turn off read-only mode of staging.',
    });
  });

  it('refuse a read-only portal', () => {
    expect(writable(facts('production')).verdict).toBe('pass');
    expect(writable(facts('production', { readOnly: true }))).toMatchObject({
      verdict: 'refuse',
      code: 'TARGET_READ_ONLY',
      saw: 'production is read-only',
    });
  });
});
