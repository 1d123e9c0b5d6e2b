import { expect, it } from 'vitest';
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

const ten = { isPrerelease: false, isLatest: true, majorTag: 'v1', notes: '### Added\n- Ten' };
const nine = { isPrerelease: false, isLatest: false, majorTag: '', notes: '- Nine' };
const soon = { isPrerelease: true, isLatest: false, majorTag: '', notes: '- Soon' };
const first = { isPrerelease: false, isLatest: true, majorTag: 'v0', notes: '- First' };

it.each([
  ['the newest release by number', 'v1.10.0', [...tags, 'v1.10.0'], ten],
  ['a patch of an older version, which moves no tag', 'v1.9.0', [...tags, 'v1.10.0'], nine],
  ['a pre-release without a move of the major tag', 'v2.0.0-rc.1', tags, soon],
  ['the first release', 'v0.1.0', ['v0.1.0'], first],
])('plans %s', (_title, tag, all, plan) => {
  expect(planRelease(tag, all, tag.slice(1), changelog)).toEqual(plan);
});

it.each([
  ['v1.2', '1.2', 'not a version tag'],
  ['v1.9.0', '1.10.0', 'does not match the version in package.json, 1.10.0'],
  ['v3.0.0', '3.0.0', 'no section "## 3.0.0"'],
])('rejects %s with version %s: %s', (tag, version, reason) => {
  expect(() => planRelease(tag, tags, version, changelog)).toThrow(reason);
});
