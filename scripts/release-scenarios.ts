import { strict as assert } from 'node:assert';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ActRun } from './act.ts';
import type { Release, Repository } from './gh-server.ts';
import { createEvent, getSettings, type Play, type Scenario, type Scene } from './scenario.ts';
import { commitAll, git } from './workspace.ts';

/** Rehearses a release from the tag to the documentation job, and the failures on the way. */
export function listReleaseScenarios(scene: Scene): Scenario[] {
  return [
    {
      name: 'release: from the tag to the draft, published, major tag moved, documentation started',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'whole');
        rehearsal.publishEarlier('v1.1.0', 'v2.0.0-rc.1');
        rehearsal.repository.tags.set('v1', 'earlier');
        rehearsal.tag('1.2.0');
        const drafted = await rehearsal.draft();
        assert.deepEqual(drafted.jobs, ['success', 'success']);
        const draft = rehearsal.getOnlyRelease();
        assert.equal(draft.notes, '- What is new in 1.2.0');
        assert.equal(draft.isPrerelease, false);
        checkAssets(draft, rehearsal.workspace);
        assert.match(drafted.log, /\| Set as the latest release \| true \|/);
        assert.equal(rehearsal.repository.tags.get('v1'), 'earlier', 'a draft moves nothing');

        const published = await rehearsal.publish();
        assert.deepEqual(published.jobs, ['success', 'success', 'success']);
        assert.equal(rehearsal.repository.tags.get('v1'), rehearsal.commit);
        assert.deepEqual(published.outcomes, ['pull-request-opened']);
        const prompt = scene.readPrompts().find((text) => text.includes('acme/rehearsal-whole'));
        assert.match(prompt ?? '', /docs-agent-action/, 'the prompt is .github/docs-prompt.md');
        assert.match(prompt ?? '', /v1\.2\.0/);
      },
    },
    {
      name: 'release: an upload that fails, and the re-run of the job',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'upload');
        rehearsal.tag('1.2.0');
        rehearsal.repository.failures.push('release upload v1.2.0');
        assert.deepEqual((await rehearsal.draft()).jobs, ['success', 'failure']);
        assert.equal(rehearsal.getOnlyRelease().assets.size, 0);
        assert.deepEqual((await rehearsal.draft()).jobs, ['success', 'success']);
        checkAssets(rehearsal.getOnlyRelease(), rehearsal.workspace);
      },
    },
    {
      name: 'release: a draft with other files, and a lost response from GitHub',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'draft');
        rehearsal.tag('1.2.0');
        rehearsal.addDraft(new Map([['stray.txt', Buffer.from('stray')]]));
        const stray = await rehearsal.draft();
        assert.deepEqual(stray.jobs, ['success', 'failure']);
        assert.match(stray.log, /Only in downloaded: stray\.txt/);
        rehearsal.getOnlyRelease().assets.delete('stray.txt');
        rehearsal.repository.failures.push('release view v1.2.0');
        assert.deepEqual((await rehearsal.draft()).jobs, ['success', 'failure']);
        assert.deepEqual((await rehearsal.draft()).jobs, ['success', 'success']);
        checkAssets(rehearsal.getOnlyRelease(), rehearsal.workspace);
      },
    },
    {
      name: 'release: a version that is already published stays as it is',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'twice');
        rehearsal.tag('1.2.0');
        rehearsal.publishEarlier('v1.2.0');
        const run = await rehearsal.draft();
        assert.deepEqual(run.jobs, ['success', 'failure']);
        assert.match(run.log, /v1\.2\.0 is already published/);
        assert.equal(rehearsal.getOnlyRelease().notes, 'v1.2.0');
      },
    },
    {
      name: 'release: nothing is drafted for failing tests, a tag off main, or a wrong version',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'refused');
        rehearsal.tag('1.2.0');
        assert.deepEqual((await rehearsal.draft(['--env', 'NPM_FAILS=test'])).jobs, ['failure']);
        rehearsal.tag('1.2.1', { version: '1.2.0' });
        const wrong = await rehearsal.draft();
        assert.deepEqual(wrong.jobs, ['failure']);
        assert.match(wrong.log, /v1\.2\.1 does not match the version in package\.json, 1\.2\.0/);
        rehearsal.tag('1.2.2', { isOnMain: false });
        assert.deepEqual((await rehearsal.draft()).jobs, ['failure']);
        assert.deepEqual(rehearsal.repository.releases, []);
      },
    },
    {
      name: 'release: a bundle with a file that was not committed, that differs from a fresh build, or that no build makes',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'bundle');
        rehearsal.tag('1.2.0');
        const changes = [
          ['NPM_BUILDS', 'dist/999.index.js', '\\?\\?'],
          ['NPM_BUILDS', 'dist/index.js', ' M'],
          ['NPM_BUILDS', 'dist/emulator/1.index.js', '\\?\\?'],
          ['NPM_DELETES', 'dist/licenses.txt', ' D'],
        ];
        for (const [variable, file, change] of changes) {
          const run = await rehearsal.draft(['--env', `${variable}=${file}`]);
          assert.deepEqual(run.jobs, ['failure']);
          assert.match(run.log, new RegExp(`${change} ${file}`));
        }
        assert.deepEqual(rehearsal.repository.releases, []);
        assert.deepEqual((await rehearsal.draft()).jobs, ['success', 'success']);
      },
    },
    {
      name: 'release: a plan that names something other than a major tag moves nothing',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'plan');
        rehearsal.tag('1.2.0', { majorTag: 'v1.2.0' });
        await rehearsal.draft();
        const run = await rehearsal.publish();
        assert.deepEqual(run.jobs, ['success', 'failure']);
        assert.match(run.log, /Not a major tag/);
        rehearsal.assertNothingFollowed(run);
      },
    },
    {
      name: 'release: without immutability, nothing else runs',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'mutable');
        rehearsal.tag('1.2.0');
        await rehearsal.draft();
        const run = await rehearsal.publish({ isImmutable: false });
        assert.deepEqual(run.jobs, ['failure']);
        assert.match(run.log, /v1\.2\.0 can still be changed/);
        rehearsal.assertNothingFollowed(run);
      },
    },
    {
      name: 'release: a tag that was moved after the draft',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'moved');
        rehearsal.tag('1.2.0');
        await rehearsal.draft();
        rehearsal.tag('1.2.0');
        const run = await rehearsal.publish();
        assert.deepEqual(run.jobs, ['failure']);
        assert.match(run.log, /Verification failed/);
        rehearsal.assertNothingFollowed(run);
      },
    },
    {
      name: 'release: a pre-release moves no tag and starts no job',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'prerelease');
        rehearsal.tag('1.3.0-rc.1');
        await rehearsal.draft();
        assert.equal(rehearsal.getOnlyRelease().isPrerelease, true);
        const run = await rehearsal.publish();
        assert.deepEqual(run.jobs, ['success']);
        rehearsal.assertNothingFollowed(run);
      },
    },
    {
      name: 'release: a patch of an older version leaves the major tag where it is',
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'older');
        rehearsal.publishEarlier('v1.10.0');
        rehearsal.repository.tags.set('v1', 'of v1.10.0');
        rehearsal.tag('1.9.1');
        const drafted = await rehearsal.draft();
        assert.match(drafted.log, /\| Set as the latest release \| false \|/);
        const run = await rehearsal.publish();
        assert.deepEqual(run.jobs, ['success', 'success']);
        assert.equal(rehearsal.repository.tags.get('v1'), 'of v1.10.0');
        assert.deepEqual(run.outcomes, ['pull-request-opened']);
      },
    },
    {
      name: "release: a major tag that can't be moved, and the re-run of the job",
      async play(play) {
        const rehearsal = new Rehearsal(scene, play, 'major');
        rehearsal.tag('1.0.0');
        await rehearsal.draft();
        rehearsal.repository.failures.push('api --method POST repos/acme/rehearsal-major/');
        const run = await rehearsal.publish();
        assert.deepEqual(run.jobs, ['success', 'failure']);
        rehearsal.assertNothingFollowed(run);
        assert.deepEqual((await rehearsal.publish()).jobs, ['success', 'success', 'success']);
        assert.equal(rehearsal.repository.tags.get('v1'), rehearsal.commit);
      },
    },
  ];
}

/** A separate repository, on GitHub and on this machine, with one release in progress. */
class Rehearsal {
  readonly workspace: string;
  readonly repository: Repository;
  commit = '';
  #tag = '';
  readonly #scene: Scene;
  readonly #play: Play;

  constructor(scene: Scene, play: Play, name: string) {
    this.#scene = scene;
    this.#play = play;
    this.workspace = join(scene.temp, `rehearsal-${name}`);
    cpSync(scene.workspace, this.workspace, { recursive: true, verbatimSymlinks: true });
    git(
      this.workspace,
      'remote',
      'set-url',
      'origin',
      `https://github.com/acme/rehearsal-${name}.git`,
    );
    this.repository = scene.gh.addRepository(`acme/rehearsal-${name}`, scene.token);
  }

  /**
   * Commits a version and tags it, or moves the tag there. `majorTag` replaces `v1` in the plan.
   */
  tag(
    version: string,
    options: { version?: string; isOnMain?: boolean; majorTag?: string } = {},
  ): void {
    const write = (name: string, change: (text: string) => string): void => {
      const file = join(this.workspace, name);
      writeFileSync(file, change(readFileSync(file, 'utf8')));
    };
    write('package.json', (text) =>
      text.replace(/"version": ".*"/, `"version": "${options.version ?? version}"`),
    );
    write('scripts/release-plan.ts', (text) =>
      text.replace(
        /`v\$\{version.major\}`/,
        options.majorTag === undefined ? '$&' : `'${options.majorTag}'`,
      ),
    );
    write('CHANGELOG.md', (text) => `${text}\n## ${version}\n\n- What is new in ${version}\n`);
    this.commit = commitAll(this.workspace, `Release ${version}`);
    const main = options.isOnMain === false ? 'HEAD~1' : 'HEAD';
    git(this.workspace, 'update-ref', 'refs/remotes/origin/main', main);
    this.#tag = `v${version}`;
    git(this.workspace, 'tag', '--force', this.#tag);
    this.repository.tags.set(this.#tag, this.commit);
  }

  /** Releases that exist already. */
  publishEarlier(...tags: string[]): void {
    for (const tag of tags) {
      const isPrerelease = tag.includes('-');
      const state = { notes: tag, isDraft: false, isPrerelease, isImmutable: true };
      this.repository.releases.push({ tag, ...state, assets: new Map() });
    }
  }

  addDraft(assets: Map<string, Buffer>): void {
    const state = { notes: '', isDraft: true, isPrerelease: false, isImmutable: false };
    this.repository.releases.push({ tag: this.#tag, ...state, assets });
  }

  /** Runs the workflow that the push of the tag starts. */
  async draft(settings: readonly string[] = []): Promise<ActRun> {
    const event = this.#createEvent('push', { ref: `refs/tags/${this.#tag}` });
    return this.#run([...event, '-W', '.github/workflows/release.yml', ...settings]);
  }

  /** Publishes as a maintainer does by hand, and runs the workflow that this starts. */
  async publish({ isImmutable = true } = {}): Promise<ActRun> {
    const release = this.getOnlyRelease();
    release.isDraft = false;
    release.isImmutable = isImmutable;
    const payload = { tag_name: this.#tag, prerelease: release.isPrerelease };
    const event = this.#createEvent('release', { action: 'published', release: payload });
    const settings = getSettings(this.#scene.baseUrl, 'quick');
    return this.#run([...event, '-W', '.github/workflows/published.yml', ...settings]);
  }

  /** Returns the release of the tag. There must be exactly one. */
  getOnlyRelease(): Release {
    const [release, ...more] = this.repository.releases.filter(({ tag }) => tag === this.#tag);
    assert.ok(
      release !== undefined && more.length === 0,
      'there is exactly one release of the tag',
    );
    return release;
  }

  assertNothingFollowed({ outcomes }: ActRun): void {
    assert.deepEqual(outcomes, []);
    assert.ok(!this.repository.tags.has('v1'), 'the major tag was moved');
  }

  #createEvent(event: string, payload: unknown): string[] {
    return createEvent(`${this.workspace}-files`, event, payload);
  }

  #run(args: readonly string[]): Promise<ActRun> {
    return this.#play({ args, workspace: this.workspace });
  }
}

/**
 * The archive contains every file that `uses:` can reach, and the attestation covers it and each of
 * them.
 */
function checkAssets({ tag, assets }: Release, workspace: string): void {
  const archive = `docs-agent-action-${tag}.tar.gz`;
  assert.deepEqual([...assets.keys()].sort(), [archive, `${archive}.intoto.jsonl`]);
  const packed = gunzipSync(assets.get(archive) ?? '').toString('latin1');
  const attested = assets.get(`${archive}.intoto.jsonl`)?.toString().split('\n') ?? [];
  const names = attested.map((line) => line.split(' ').slice(1).join(' '));
  const reachable = ['action.yml', 'node24', 'emulator/action.yml', 'dist'];
  const files = git(workspace, 'ls-files', ...reachable)
    .trim()
    .split('\n');
  for (const file of [...files, 'LICENSE', 'README.md']) {
    assert.ok(packed.includes(`${file}\0`), `the archive does not hold ${file}`);
  }
  for (const file of [...files, `release/${archive}`]) {
    assert.ok(names.includes(file), `the attestation does not name ${file}`);
  }
}
