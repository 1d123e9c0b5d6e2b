import { describe, expect, it } from 'vitest';
import { planRelease } from '../../../scripts/release-plan.ts';

const changelog = [
  '# Changelog',
  '## Unreleased',
  '- Not yet',
  '## 1.10.0 (2026-03-01)',
  '### Added',
  '- Ten',
  '## 1.9.0',
  '- Nine',
  '## 2.0.0-rc.1',
  '- Soon',
  '## 0.1.0',
  '- First',
].join('\n');
const tags = ['', 'v1', 'v1.2.0', 'v1.8.0', 'v2.0.0-rc.1', 'nightly'];

describe('planRelease', () => {
  it('moves the major tag to the newest release, compared by number and not by letter', () => {
    expect(planRelease('v1.10.0', [...tags, 'v1.10.0'], '1.10.0', changelog)).toEqual({
      isPrerelease: false,
      isLatest: true,
      majorTag: 'v1',
      notes: '### Added\n- Ten',
    });
  });

  it('leaves the major tag where it is for a patch of an older version', () => {
    const plan = planRelease('v1.9.0', [...tags, 'v1.10.0'], '1.9.0', changelog);
    expect(plan).toEqual({ isPrerelease: false, isLatest: false, notes: '- Nine' });
  });

  it('moves the tag of an older major version, which is not the latest release', () => {
    const plan = planRelease('v1.10.0', [...tags, 'v2.0.0'], '1.10.0', changelog);
    expect(plan).toMatchObject({ isLatest: false, majorTag: 'v1' });
  });

  it('moves nothing for a pre-release', () => {
    const plan = planRelease('v2.0.0-rc.1', tags, '2.0.0-rc.1', changelog);
    expect(plan).toEqual({ isPrerelease: true, isLatest: false, notes: '- Soon' });
  });

  it('plans the first release', () => {
    expect(planRelease('v0.1.0', ['v0.1.0'], '0.1.0', changelog)).toMatchObject({
      isLatest: true,
      majorTag: 'v0',
    });
  });

  it.each([
    ['v1.2', '1.2', 'not a version tag'],
    ['1.9.0', '1.9.0', 'not a version tag'],
    ['v01.9.0', '01.9.0', 'not a version tag'],
    ['v1.9.0', '1.10.0', 'not the version in package.json, 1.10.0'],
    ['v3.0.0', '3.0.0', 'no section "## 3.0.0"'],
  ])('refuses %s with version %s: %s', (tag, version, reason) => {
    expect(() => planRelease(tag, tags, version, changelog)).toThrow(reason);
  });
});
