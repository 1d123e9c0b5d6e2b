import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { close, listen } from '../emulator/listen.ts';

/**
 * Stands in for GitHub's releases, tags, and pull requests behind `gh`. `stand-ins/gh` sends each
 * call here. Options and API paths that no workflow uses are errors, so that a misspelled one fails
 * as it would on GitHub.
 */
export interface Release {
  readonly tag: string;
  notes: string;
  isDraft: boolean;
  isPrerelease: boolean;
  /** Set on publication if the repository has release immutability turned on. */
  isImmutable: boolean;
  readonly assets: Map<string, Buffer>;
}

export interface Repository {
  /** The only token that is accepted. An app token may have further permissions after a comma. */
  readonly token: string;
  /** Commits by tag. */
  readonly tags: Map<string, string>;
  readonly releases: Release[];
  /** The next call whose arguments begin with one of these texts fails once. */
  readonly failures: string[];
  /** API calls that changed something, such as `POST issues/1/labels {"labels":["docs"]}`. */
  readonly changes: string[];
}

export interface GhServer {
  /** Resolves to the address that `stand-ins/gh` expects in GH_STAND_IN. */
  listen(): Promise<string>;
  close(): Promise<void>;
  /** Adds an empty repository. */
  addRepository(name: string, token: string): Repository;
}

interface Call {
  readonly args: readonly string[];
  readonly token: string;
  readonly repository: string;
  readonly folder: string;
}

interface Context {
  readonly name: string;
  readonly token: string;
  readonly repository: Repository;
  readonly folder: string;
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | string[] | undefined>>;
}

interface Command {
  /** Options that take a value, by name; `-f` and `-F` are `field` and `typed-field`. */
  readonly values: readonly string[];
  readonly flags: readonly string[];
  readonly run: (context: Context) => unknown;
}

/** An error that `gh` would print. */
class GhError extends Error {}

export function createGhServer(): GhServer {
  const repositories = new Map<string, Repository>();
  const server = createServer(async (request, response) => {
    const call = JSON.parse(await text(request)) as Call;
    response.end(JSON.stringify(answer(call)));
  });

  function answer(call: Call): { output?: string; error?: string } {
    try {
      return { output: perform(call) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  function perform({ args, token, repository: name, folder }: Call): string {
    const [key, command, rest] = findCommand(args);
    const { positionals, options } = parseCall(command, rest);
    const path = key === 'api' ? /^repos\/([^/]+\/[^/]+)\//.exec(positionals[0] ?? '')?.[1] : name;
    if (path === undefined || path === '') throw new GhError('no repository: set GH_REPO');
    const repository = repositories.get(path);
    if (repository === undefined || ![token, token.split(',')[0]].includes(repository.token)) {
      throw new GhError(`HTTP 404: Not Found (${path})`);
    }
    const failure = repository.failures.findIndex((words) => args.join(' ').startsWith(words));
    if (failure >= 0) {
      repository.failures.splice(failure, 1);
      throw new GhError('HTTP 502: Bad Gateway');
    }
    return format(
      command.run({ name: path, token, repository, folder, positionals, options }),
      options,
    );
  }

  return {
    listen: () => listen(server),
    close: () => close(server),
    addRepository(name, token) {
      const repository = { token, tags: new Map(), releases: [], failures: [], changes: [] };
      repositories.set(name, repository);
      return repository;
    },
  };
}

const commands: Readonly<Record<string, Command>> = {
  'release list': {
    values: ['json', 'jq', 'limit'],
    flags: ['exclude-drafts', 'exclude-pre-releases'],
    run: ({ repository, options }) =>
      repository.releases
        .filter(({ isDraft }) => !(isDraft && options['exclude-drafts']))
        .filter(({ isPrerelease }) => !(isPrerelease && options['exclude-pre-releases']))
        .map(({ tag }) => ({ tagName: tag })),
  },
  'release view': {
    values: ['json', 'jq'],
    flags: [],
    run: ({ name, repository, positionals }) => {
      const { tag, notes, isDraft } = findRelease(repository, positionals[0]);
      return {
        tagName: tag,
        body: notes,
        isDraft,
        url: `https://github.com/${name}/releases/tag/${tag}`,
      };
    },
  },
  'release create': {
    values: ['title', 'notes'],
    flags: ['draft', 'verify-tag', 'prerelease'],
    run: ({ repository, positionals: [tag = ''], options }) => {
      if (options['draft'] !== 'true') throw new GhError('only drafts are created here');
      if (options['verify-tag'] !== 'true' || !repository.tags.has(tag)) {
        throw new GhError(
          `tag ${tag} doesn't exist in the repo, aborting due to --verify-tag flag`,
        );
      }
      if (repository.releases.some((release) => release.tag === tag && !release.isDraft)) {
        throw new GhError('HTTP 422: Validation Failed (tag_name already_exists)');
      }
      // GitHub allows several drafts for the same tag.
      repository.releases.push({
        tag,
        notes: getText(options['notes']),
        isDraft: true,
        isPrerelease: options['prerelease'] === 'true',
        isImmutable: false,
        assets: new Map(),
      });
    },
  },
  'release edit': {
    values: ['notes', 'notes-file', 'title'],
    flags: ['prerelease'],
    run: ({ repository, positionals, options, folder }) => {
      const release = findRelease(repository, positionals[0]);
      const file = options['notes-file'];
      release.notes =
        file === undefined
          ? getText(options['notes'])
          : readFileSync(resolve(folder, getText(file)), 'utf8').trimEnd();
      if (options['prerelease'] !== undefined)
        release.isPrerelease = options['prerelease'] === 'true';
    },
  },
  'release upload': {
    values: [],
    flags: ['clobber'],
    run: ({ repository, positionals: [tag, ...files], options, folder }) => {
      const { assets, isImmutable } = findRelease(repository, tag);
      if (isImmutable) throw new GhError('HTTP 422: Cannot upload assets to an immutable release.');
      for (const file of files) {
        const asset = basename(file);
        if (assets.has(asset) && !options['clobber'])
          throw new GhError(`asset under the same name: ${asset}`);
        assets.set(asset, readFileSync(resolve(folder, file)));
      }
    },
  },
  'release download': {
    values: ['dir'],
    flags: [],
    run: ({ repository, positionals, options, folder }) => {
      const target = resolve(folder, getText(options['dir']));
      mkdirSync(target, { recursive: true });
      const { assets } = findRelease(repository, positionals[0]);
      if (assets.size === 0) throw new GhError('no assets to download');
      for (const [asset, content] of assets) writeFileSync(join(target, asset), content);
    },
  },
  'attestation verify': {
    values: ['bundle', 'repo', 'signer-workflow', 'source-digest'],
    flags: [],
    run: ({ name, positionals: [file = ''], options, folder }) => {
      const bundle = readFileSync(resolve(folder, getText(options['bundle'])), 'utf8').split('\n');
      const subject = `${toObjectId(readFileSync(resolve(folder, file)))} `;
      const isRight =
        options['repo'] === name &&
        options['signer-workflow'] === `${name}/.github/workflows/release.yml` &&
        bundle[0] === `commit ${getText(options['source-digest'])}` &&
        bundle.some((line) => line.startsWith(subject) && basename(line) === basename(file));
      if (!isRight)
        throw new GhError(`Verification failed: no attestation of ${file} meets the conditions`);
    },
  },
  api: {
    values: ['method', 'jq', 'field', 'typed-field'],
    flags: ['silent'],
    run: ({ repository, token, positionals: [path = ''], options }) => {
      const [, , , ...rest] = path.split('/');
      const fields = readFields(options);
      // GitHub can't resolve a team if the token may not read the members of the organization.
      if ('team_reviewers' in fields && !token.includes(',members=read')) {
        throw new GhError('HTTP 422: Could not resolve to a node with the global id');
      }
      return callApi(
        repository,
        `${getText(options['method'] ?? 'GET')} ${rest.join('/')}`,
        fields,
      );
    },
  },
};

interface Endpoint {
  /** Matches the method and the path in the repository. */
  readonly pattern: RegExp;
  readonly answer: (repository: Repository, name: string, fields: Fields) => unknown;
}
type Fields = Readonly<Record<string, unknown>>;

/** The REST endpoints that the workflows call. */
const endpoints: readonly Endpoint[] = [
  {
    pattern: /^GET releases\/tags\/(.+)$/,
    answer({ releases }, name) {
      const release = releases.find(({ tag, isDraft }) => tag === name && !isDraft);
      if (release === undefined) throw new GhError('HTTP 404: Not Found');
      return { tag_name: name, immutable: release.isImmutable };
    },
  },
  {
    pattern: /^GET git\/ref\/tags\/(.+)$/,
    answer({ tags }, name) {
      if (!tags.has(name)) throw new GhError('HTTP 404: Not Found');
      return { ref: `refs/tags/${name}`, object: { sha: tags.get(name) } };
    },
  },
  {
    pattern: /^PATCH git\/refs\/tags\/(.+)$/,
    answer({ tags }, name, fields) {
      if (!tags.has(name)) throw new GhError('HTTP 422: Reference does not exist');
      if (fields['force'] !== true) throw new GhError('HTTP 422: Update is not a fast forward');
      tags.set(name, String(fields['sha']));
    },
  },
  {
    pattern: /^POST git\/refs$/,
    answer({ tags }, _, fields) {
      const tag = /^refs\/tags\/(.+)$/.exec(String(fields['ref']))?.[1] ?? '';
      if (tag === '' || tags.has(tag)) throw new GhError('HTTP 422: Reference already exists');
      tags.set(tag, String(fields['sha']));
    },
  },
  {
    pattern: /^POST (?:issues\/\d+\/labels|pulls\/\d+\/requested_reviewers)$/,
    answer: () => undefined,
  },
];

function callApi(repository: Repository, call: string, fields: Fields): unknown {
  for (const { pattern, answer } of endpoints) {
    const match = pattern.exec(call);
    if (match === null) continue;
    const result = answer(repository, match[1] ?? '', fields);
    if (!call.startsWith('GET ')) repository.changes.push(`${call} ${JSON.stringify(fields)}`);
    return result;
  }
  throw new GhError(`HTTP 404: Not Found (${call})`);
}

function findCommand(args: readonly string[]): [string, Command, readonly string[]] {
  for (const length of [1, 2]) {
    const key = args.slice(0, length).join(' ');
    const command = commands[key];
    if (command !== undefined) return [key, command, args.slice(length)];
  }
  throw new GhError(`unknown command "${args.slice(0, 2).join(' ')}"`);
}

function parseCall(
  { values, flags }: Command,
  args: readonly string[],
): Pick<Context, 'positionals' | 'options'> {
  // A flag may have a value after an equals sign, which node:util does not support for booleans.
  const isFlag = (arg: string): boolean => flags.includes(arg.slice(2)) && arg.startsWith('--');
  const short: Record<string, string> = { field: 'f', 'typed-field': 'F' };
  const options = Object.fromEntries(
    [...values, ...flags].map((name) => [
      name,
      {
        type: 'string' as const,
        multiple: name in short,
        ...(short[name] !== undefined && { short: short[name] }),
      },
    ]),
  );
  const parsed = parseArgs({
    args: args.map((arg) => (isFlag(arg) ? `${arg}=true` : arg)),
    options,
    allowPositionals: true,
  });
  return { positionals: parsed.positionals, options: parsed.values };
}

function findRelease({ releases }: Repository, tag: string | undefined): Release {
  const release = releases.find((candidate) => candidate.tag === tag);
  if (release === undefined) throw new GhError('release not found');
  return release;
}

/** `-f name=text`, `-F name=true` and `-f name[]=item`, as the JSON that `gh api` makes of them. */
function readFields(options: Context['options']): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [option, isTyped] of [
    ['field', false],
    ['typed-field', true],
  ] as const) {
    for (const pair of [options[option] ?? []].flat()) {
      const [, name = '', list, value = ''] = /^([^=[]+)(\[\])?=(.*)$/s.exec(pair) ?? [];
      const item =
        isTyped && /^(true|false|\d+)$/.test(value) ? (JSON.parse(value) as unknown) : value;
      fields[name] = list ? [...((fields[name] as unknown[]) ?? []), item] : item;
    }
  }
  return fields;
}

/** The output of `gh`: nothing, or the values at a path such as `.isDraft` or `.[].tagName`. */
function format(result: unknown, { jq, json }: Context['options']): string {
  if (jq === undefined) return '';
  const [, list, field = ''] = /^(\.\[\])?\.(\w+)$/.exec(getText(jq)) ?? [];
  if (field === '') throw new GhError(`the stand-in does not know the filter ${getText(jq)}`);
  if (json !== undefined && json !== field) throw new GhError(`--json does not ask for ${field}`);
  const items = (list ? result : [result]) as Record<string, unknown>[];
  return items
    .map((item) => {
      if (!(field in item)) throw new GhError(`Unknown JSON field: "${field}"`);
      return `${String(item[field])}\n`;
    })
    .join('');
}

function getText(value: string | string[] | undefined): string {
  if (typeof value !== 'string') throw new GhError('an option is missing or given twice');
  return value;
}

function toObjectId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
